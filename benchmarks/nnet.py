"""ReLU networks for the generators of queries: reading and writing `.nnet`, evaluating many points at once."""

import numpy


class Network:
    """Weights (one row per output) and biases per layer; ReLU after all layers but the last."""

    def __init__(self, weights, biases):
        self.weights, self.biases = weights, biases

    @property
    def inputs(self):
        return self.weights[0].shape[1]

    @property
    def outputs(self):
        return self.weights[-1].shape[0]

    def layer(self, index, points):
        """What layer `index` makes of its inputs, before ReLU."""
        return points @ self.weights[index].T + self.biases[index]

    def values(self, points):
        """Outputs, one row per point."""
        for index in range(len(self.weights) - 1):
            points = numpy.maximum(self.layer(index, points), 0.0)
        return self.layer(-1, points)

    def chooses(self, points, label):
        """Whether no output exceeds that of `label`, per point."""
        values = self.values(points)
        return values[:, label] >= values.max(axis=1)


def read(path):
    """The network of an `.nnet` file without normalisation."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip().rstrip(",").split(",") for line in file if not line.startswith("//")]
    sizes = [int(size) for size in lines[1]]
    if any(float(x) != 0 for x in lines[5]) or any(float(x) != 1 for x in lines[6]):
        raise ValueError(f"{path}: normalisation is not supported here")
    rows, weights, biases = iter(lines[7:]), [], []
    for size in sizes[1:]:
        weights.append(numpy.array([next(rows) for _ in range(size)], float))
        biases.append(numpy.array([next(rows)[0] for _ in range(size)], float))
    return Network(weights, biases)


def write(network, domain, path):
    """Writes an `.nnet` file; numbers are printed so that they read back as they are."""
    sizes = [network.inputs] + [len(bias) for bias in network.biases]

    def line(numbers):
        return ",".join(repr(number) for number in numbers) + ",\n"

    with open(path, "w", encoding="utf-8") as file:
        file.write("// generated\n")
        file.write(line([len(sizes) - 1, sizes[0], sizes[-1], max(sizes)]) + line(sizes) + "0,\n")
        file.write(line([low for low, _ in domain]) + line([high for _, high in domain]))
        file.write(line([0] * (sizes[0] + 1)) + line([1] * (sizes[0] + 1)))
        for weights, biases in zip(network.weights, network.biases):
            file.writelines(line(row) for row in weights.tolist())
            file.writelines(line([bias]) for bias in biases.tolist())
