"""Runs scripts in SMT-LIB 2 with cvc5, each by a solver of its own: a script as a JSON string per line in, what it says as one out."""

import json
import sys

import cvc5


def run(script):
    solver = cvc5.Solver(cvc5.TermManager())
    symbols = cvc5.SymbolManager(solver.getTermManager())
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "question")
    said = []
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return "".join(said)
        said.append(command.invoke(solver, symbols))
        if said[-1].strip() in ("unsat", "unknown"):  # there are no values to be had
            return said[-1]


def main():
    print(json.dumps({"version": cvc5.__version__}), flush=True)
    for line in sys.stdin:
        try:
            answer = {"said": run(json.loads(line))}
        except Exception as error:  # whatever it is, it is no answer
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


main()
