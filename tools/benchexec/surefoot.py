"""BenchExec's tool-info module for Surefoot: copy it to `benchexec/tools`, or put its folder on the Python path and name `benchexec.surefoot`.

A task is a JANI model; options of the command line go into the benchmark definition:

    <benchmark tool="surefoot" timelimit="60s">
      <rundefinition name="auto"><option name="--properties">properties.jani</option></rundefinition>
      <tasks><include>models/*.jani</include></tasks>
    </benchmark>
"""

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """How Surefoot is called, and what its answers mean."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("surefoot")

    def version(self, executable):
        return self._version_from_tool(executable)

    def name(self):
        return "Surefoot"

    def project_url(self):
        return ""

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "verify", task.single_input_file, *options]
        if rlimits.cputime and "--time-limit" not in options:
            command += ["--time-limit", str(rlimits.cputime)]
        if rlimits.memory and "--memory-limit" not in options:
            # It tells what it knows a little before it would be ended.
            command += ["--memory-limit", str(int(rlimits.memory * 0.7 / 1_000_000))]
        if rlimits.cpu_cores and "--threads" not in options:
            command += ["--threads", str(rlimits.cpu_cores)]
        return command

    def determine_result(self, run):
        code = run.exit_code.value
        first = run.output[0].strip() if len(run.output) else ""
        if code == 0 and first.startswith("holds"):
            return result.RESULT_TRUE_PROP
        if code == 1 and first.startswith("violated"):
            return result.RESULT_FALSE_PROP
        if code == 3 and "time limit" in first:
            return "TIMEOUT"
        if code == 3 and "memory limit" in first:
            return "OUT OF MEMORY"
        if code == 3:
            return result.RESULT_UNKNOWN
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        for line in output:
            name, _, value = line.strip().partition(" ")
            if name == identifier:
                return value.strip()
        return None
