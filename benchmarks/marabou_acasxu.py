"""Times Marabou on one pair of an ACAS Xu network and a property; prints a JSON line.

Usage: marabou_acasxu.py NETWORK.onnx PROPERTY.vnnlib [CAP]

"seconds" is the thread CPU time of the solve call alone (one worker), without reading; after CAP CPU seconds
(default 120) the answer is "timeout" and "seconds" the cap. A found point is evaluated again in double precision:
"margin" is by how much the worst constraint on the outputs holds (below zero: Marabou's tolerance, not a witness).
"""

import json
import os
import re
import resource
import sys
import time
import warnings

warnings.filterwarnings("ignore")
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy  # noqa: E402
import onnx  # noqa: E402
import onnx.numpy_helper  # noqa: E402
from maraboupy import Marabou, MarabouCore, MarabouUtils  # noqa: E402

ASSERTION = re.compile(r"\(assert \((<=|>=) ([XY])_(\d+) (?:Y_(\d+)|([-+.\deE]+))\)\)")


def assertions(path):
    """(relation, "X" or "Y", index, other output or None, constant or None) of every assertion."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r";[^\n]*", "", file.read())
    found = ASSERTION.findall(text)
    if len(found) != text.count("(assert"):
        raise ValueError(f"{path}: an assertion other than a bound or a comparison of outputs")
    return [(relation, kind, int(index), int(other) if other else None, float(constant) if constant else None)
            for relation, kind, index, other, constant in found]


def forward(path, point):
    """Outputs of a chain of Gemm and Relu nodes in double precision."""
    model = onnx.load(path)
    tensors = {t.name: onnx.numpy_helper.to_array(t).astype(float) for t in model.graph.initializer}
    values = numpy.array(point, float)
    for node in model.graph.node:
        if node.op_type == "Gemm":
            weights = tensors[node.input[1]]
            transposed = any(a.name == "transB" and a.i for a in node.attribute)
            values = values @ (weights.T if transposed else weights) + tensors[node.input[2]]
        else:
            values = numpy.maximum(values, 0.0)
    return values


def margin(conditions, outputs):
    """By how much the outputs satisfy the worst condition on them."""
    gaps = []
    for relation, kind, index, other, constant in conditions:
        if kind == "Y":
            difference = outputs[index] - (constant if other is None else outputs[other])
            gaps.append(difference if relation == ">=" else -difference)
    return min(gaps)


def query(network, conditions):
    """Marabou's query for a network under the conditions."""
    inputs, outputs = network.inputVars[0].flatten(), network.outputVars[0].flatten()
    for relation, kind, index, other, constant in conditions:
        if other is None:
            variable = int((inputs if kind == "X" else outputs)[index])
            (network.setLowerBound if relation == ">=" else network.setUpperBound)(variable, constant)
        else:
            sign = 1.0 if relation == "<=" else -1.0
            equation = MarabouUtils.Equation(MarabouCore.Equation.LE)
            equation.addAddend(sign, int(outputs[index]))
            equation.addAddend(-sign, int(outputs[other]))
            equation.setScalar(0.0)
            network.addEquation(equation)
    return network.getInputQuery()


def solve(path, conditions, seconds):
    """The verdict, the CPU seconds and the margin of the point, if any."""
    network = Marabou.read_onnx(path)
    asked = query(network, conditions)
    # Marabou's own limit is on wall time: loose, the limit on CPU time decides.
    options = Marabou.createOptions(verbosity=0, timeoutInSeconds=int(10 * seconds), numWorkers=1)
    begin = time.thread_time()
    verdict, values, _ = MarabouCore.solve(asked, options, "")
    result = {"verdict": verdict, "seconds": time.thread_time() - begin}
    if verdict == "sat":
        point = [values[int(variable)] for variable in network.inputVars[0].flatten()]
        result.update(point=point, margin=float(margin(conditions, forward(path, point))))
    return result


def main():
    path, prop, cap = sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 120.0
    conditions = assertions(prop)
    name = {"network": os.path.basename(path), "property": os.path.basename(prop)}
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        limit = int(cap + time.process_time()) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        # Marabou writes to standard output whatever its verbosity.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.write(writer, json.dumps(solve(path, conditions, cap)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        answer = file.read()
    os.waitpid(child, 0)
    result = json.loads(answer) if answer else {"verdict": "timeout", "seconds": cap}
    if result["seconds"] > cap:
        result = {"verdict": "timeout", "seconds": cap}
    print(json.dumps({**name, **result}))


main()
