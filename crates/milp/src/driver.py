"""Solves programs in LP format with HiGHS: one path and time limit per line in, one JSON object per line out."""

import json
import sys

import highspy


def solve(path, seconds, options):
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    for name, value in options.items():
        highs.setOptionValue(name, value)
    if seconds is not None:
        highs.setOptionValue("time_limit", seconds)
    if highs.readModel(path) == highspy.HighsStatus.kError:
        return {"status": "unreadable"}
    highs.run()
    status = highs.getModelStatus()
    answer = {"status": highs.modelStatusToString(status)}
    if status == highspy.HighsModelStatus.kOptimal:
        names = highs.getLp().col_names_
        answer["values"] = dict(zip(names, map(float, highs.getSolution().col_value)))
    return answer


def main():
    print(json.dumps({"version": highspy.Highs().version()}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = solve(request["path"], request["seconds"], request["options"])
        except Exception as error:  # whatever it is, it is no answer
            answer = {"status": f"error: {error}"}
        print(json.dumps(answer), flush=True)


main()
