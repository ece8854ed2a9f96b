"""The ways in which policies of Stable-Baselines3 and others leave Python, as their documentation shows them.

Each way takes a policy and an observation and writes one file; it says which inputs the policy file needs: `observation` as the environment
gives it, or `features`, which is what preprocessing makes of it (one-hot for discrete observations).
"""

import contextlib
import io
import json
import warnings

import torch
from safetensors.torch import save_file

warnings.filterwarnings("ignore")


class WholePolicy(torch.nn.Module):
    """OnnxableSB3Policy of the Stable-Baselines3 documentation: action, and for actor-critic value and log-probability."""

    def __init__(self, policy):
        super().__init__()
        self.policy = policy

    def forward(self, observation):
        return self.policy(observation, deterministic=True)


class Scores(torch.nn.Module):
    """Only what scores the actions: q_net, the mean of the quantiles, or mlp_extractor and action_net."""

    def __init__(self, policy):
        super().__init__()
        self.policy = policy

    def forward(self, observation):
        policy = self.policy
        if hasattr(policy, "q_net"):
            return policy.q_net(observation)
        if hasattr(policy, "quantile_net"):
            return policy.quantile_net(observation).mean(dim=1)
        features = policy.extract_features(observation, policy.pi_features_extractor)
        return policy.action_net(policy.mlp_extractor.forward_actor(features))


class Normalised(torch.nn.Module):
    """The scores of a policy that was trained behind VecNormalize, of observations as the environment gives them."""

    def __init__(self, policy, mean, deviation, clip):
        super().__init__()
        self.scores, self.clip = Scores(policy), clip
        self.register_buffer("mean", torch.tensor(mean, dtype=torch.float32))
        self.register_buffer("deviation", torch.tensor(deviation, dtype=torch.float32))

    def forward(self, observation):
        return self.scores(torch.clamp((observation - self.mean) / self.deviation, -self.clip, self.clip))


class Heads(torch.nn.Module):
    """Actor and critic behind the features, with two outputs."""

    def __init__(self, policy):
        super().__init__()
        self.extractor, self.action_net, self.value_net = policy.mlp_extractor, policy.action_net, policy.value_net

    def forward(self, features):
        actor, critic = self.extractor(features)
        return self.action_net(actor), self.value_net(critic)


def features(policy, observation):
    with torch.no_grad():
        if hasattr(policy, "pi_features_extractor"):
            return policy.extract_features(observation, policy.pi_features_extractor)
        network = policy.q_net if hasattr(policy, "q_net") else policy.quantile_net
        return network.extract_features(observation, network.features_extractor)


def onnx(module, argument, path, exporter):
    """By the new exporter (`True`), or by the old one with an operator set (`False`: 17)."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if exporter is True:
            torch.onnx.export(module, (argument,), path, input_names=["input"], external_data=False)
        else:
            torch.onnx.export(module, (argument,), path, input_names=["input"], dynamo=False, opset_version=exporter or 17)


def actor_critic(policy):
    return hasattr(policy, "action_net")


def whole_new(policy, observation, path):
    # What Categorical checks about its arguments has no ONNX form; without the checks it is exported.
    checked = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        onnx(WholePolicy(policy), observation, path, True)
    finally:
        torch.distributions.Distribution.set_default_validate_args(checked)
    return "observation"


def whole_old(policy, observation, path):
    onnx(WholePolicy(policy), observation, path, False)
    return "observation"


def scores_new(policy, observation, path):
    onnx(Scores(policy), observation, path, True)
    return "observation"


def scores_old(policy, observation, path):
    onnx(Scores(policy), observation, path, False)
    return "observation"


def scores_batch(policy, observation, path):
    """For a fixed number of observations at once."""
    onnx(Scores(policy), torch.cat([observation] * 3), path, False)
    return "observation"


def heads(policy, observation, path):
    if not actor_critic(policy):
        return None
    onnx(Heads(policy), features(policy, observation), path, True)
    return "features"


def tensors(policy, observation, path):
    """The tensors of the scoring network, with what stands between its layers in the metadata."""
    if actor_critic(policy):
        modules = [*policy.mlp_extractor.policy_net, policy.action_net]
    elif hasattr(policy, "q_net"):
        modules = list(policy.q_net.q_net)
    else:
        return None
    saved, layers = {}, []
    for index, module in enumerate(modules):
        if isinstance(module, torch.nn.Linear):
            saved[f"{index}.weight"], saved[f"{index}.bias"] = module.weight.detach(), module.bias.detach()
            layers.append({"weight": f"{index}.weight", "bias": f"{index}.bias", "activation": "identity"})
        else:
            layers[-1]["activation"] = {"Tanh": "tanh", "ReLU": "relu"}[type(module).__name__]
    save_file({name: value.contiguous() for name, value in saved.items()}, path, metadata={"surefoot.layers": json.dumps(layers)})
    return "features"


WAYS = {
    "whole policy": (whole_new, ".onnx"),
    "whole policy, dynamo=False": (whole_old, ".onnx"),
    "scores": (scores_new, ".onnx"),
    "scores, dynamo=False": (scores_old, ".onnx"),
    "scores, batch of 3": (scores_batch, ".onnx"),
    "heads": (heads, ".onnx"),
    "safetensors": (tensors, ".safetensors"),
}
