"""Solves queries with Marabou: a line of JSON in, a line of JSON out."""

import json
import os
import sys

# The library writes to standard output what it likes: answers go to a copy of it, and it to nowhere.
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

from importlib.metadata import version  # noqa: E402

from maraboupy import Marabou, MarabouCore  # noqa: E402

KINDS = {
    "=": MarabouCore.Equation.EQ,
    ">=": MarabouCore.Equation.GE,
    "<=": MarabouCore.Equation.LE,
}


def equation(kind, terms, scalar):
    made = MarabouCore.Equation(KINDS[kind])
    for factor, variable in terms:
        made.addAddend(factor, variable)
    made.setScalar(scalar)
    return made


def solve(request):
    query = MarabouCore.InputQuery()
    bounds = request["bounds"]
    query.setNumberOfVariables(len(bounds))
    for variable, (lower, upper) in enumerate(bounds):
        query.setLowerBound(variable, lower)
        query.setUpperBound(variable, upper)
    for position in range(request["inputs"]):
        query.markInputVariable(position, position)
    for row in request["rows"]:
        query.addEquation(equation(*row))
    for before, after in request["relus"]:
        MarabouCore.addReluConstraint(query, before, after)
    for choices in request["choices"]:
        parts = [[equation(kind, [[1.0, v]], bound) for v, kind, bound in part] for part in choices]
        MarabouCore.addDisjunctionConstraint(query, parts)
    options = Marabou.createOptions(verbosity=0, numWorkers=1, timeoutInSeconds=request["seconds"])
    status, values, _ = MarabouCore.solve(query, options, "")
    answer = {"status": status}
    if status == "sat":
        answer["values"] = [values[v] for v in range(request["inputs"])]
    return answer


def main():
    print(json.dumps({"version": version("maraboupy")}), file=ANSWERS, flush=True)
    for line in sys.stdin:
        try:
            answer = solve(json.loads(line))
        except Exception as error:  # whatever it is, it is no answer
            answer = {"status": f"error: {error}"}
        print(json.dumps(answer), file=ANSWERS, flush=True)


main()
