"""The network of our learned selectors as a PyTorch module: trained there, it runs in the compiled loop, and back.

`load_policy` reads a policy, `PolicyNetwork` makes a new one, and ``save`` writes one that ``dac-t`` takes. It sees
what the environments of `dacalns.gym` show. PyTorch is imported when this module is, and nowhere else.
"""

import importlib
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dacalns.core.brain import initialise, weights_of
from dacalns.core.rng import seeded
from dacalns.core.sight import PHASES, SIGHT
from dacalns.instances.feature_sets import feature_sets
from dacalns.search.portfolio import Portfolio, as_portfolio
from dacalns.selectors.actor_critic import CONTEXT_SIZES, context_size
from dacalns.selectors.card import Card, TrainedPortfolio, node_features
from dacalns.selectors.checkpoint import load_checkpoint, save_checkpoint
from dacalns.selectors.frozen_policy import LEARNERS, tensor_shapes, to_tensors
from dacalns.selectors.settings import preset_of
from dacalns.util.errors import InputError
from dacalns.util.shown import shown, shown_path
from dacalns.util.values import whole_number


def _torch() -> Any:
    """PyTorch, or None: everything that needs it says so."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


torch: Any = _torch()
nn: Any = torch.nn if torch else None
Module: Any = nn.Module if torch else object

GRAPH = ("nodes", "node_mask", "edge_index", "edge_weight", "edge_mask", "search")


class Judged(NamedTuple):
    """What a network says of a batch of observations."""

    logits: Any  #: (batch, actions) -inf for what is no operator in the phase of the observation
    value: Any  #: (batch,) what the critic expects


class PolicyNetwork(Module):
    """Our network: a graph convolution of two layers, pooled by attention and maximum, with a head for each decision.

    Its parameters have the names and shapes of the tensors of a checkpoint.

    Parameters
    ----------
    card
        What the policy is for, and the size of the network; `card_for` makes one.
    seed
        The seed of its first parameters, which are those of our own learners.

    Raises
    ------
    InputError
        If PyTorch is not installed, or the card is of a wheel, which has no network.
    """

    def __init__(self, card: Card, seed: int = 0) -> None:
        _require_torch()
        super().__init__()
        if card.kind not in LEARNERS:
            raise InputError(f"the card is of a {card.kind}, which has no network; expected that of a dac or an ac.")
        self.card = card
        self._destroys, self._repairs = len(card.portfolio.destroy), len(card.portfolio.repair)
        self._rich = context_size(card.network, len(card.features)) - CONTEXT_SIZES[card.network.context]
        shapes = tensor_shapes(card)
        heads = LEARNERS[card.kind].heads(card.network, self._destroys, self._repairs)
        context = context_size(card.network, len(card.features))
        flat = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), dtype=np.float32)
        sizes = len(card.features), card.network.hidden, context, len(heads), max(heads)
        seed = whole_number("seed", seed, minimum=0)
        initialise(weights_of(flat, *sizes), seeded(seed))
        for name, tensor in to_tensors(card, flat).items():
            self.register_parameter(name, nn.Parameter(torch.from_numpy(tensor)))

    def forward(self, observation: Mapping[str, Any]) -> Judged:
        """Judge a batch of observations of an environment, whatever the phase of each.

        Parameters
        ----------
        observation
            The arrays of `TwoPhaseEnv`, or of `PairEnv` for a policy of kind ``"ac"``, as tensors with a row for each;
            `tensors` makes them.
        """
        destroy, repair, values = self.heads_of(observation)
        search = observation["search"]
        destroyed, operator = search[:, 1] > 0.5, search[:, PHASES : PHASES + self._destroys].argmax(dim=1)
        if self.card.kind == "ac":
            return Judged(destroy, self._value(values, destroy, 0, None))
        begin = operator * self._repairs if self.card.network.repair_blocks else torch.zeros_like(operator)
        places = begin[:, None] + torch.arange(self._repairs, device=search.device)
        after = repair.gather(1, places)
        first = self._value(values, destroy, 0, None)
        second = self._value(values, after, self._destroys, begin)
        width = max(self._destroys, self._repairs)
        logits = torch.where(destroyed[:, None], _padded(after, width), _padded(destroy, width))
        return Judged(logits, torch.where(destroyed, second, first))

    def heads_of(self, observation: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """Return the outputs of destroy actor, repair actor and critic; of an ``"ac"``, those of pairs, None, critic.

        With separate outputs after each destroy operator, those of the repair actor are one block behind the other.
        """
        vector = torch.cat([self.embed(observation), self.context(observation["search"])], dim=1)
        hidden = torch.relu(torch.einsum("bv,kvh->bkh", vector, self.u) + self.c)
        outputs = torch.einsum("bkh,kho->bko", hidden, self.o) + self.bias
        sizes = LEARNERS[self.card.kind].heads(self.card.network, self._destroys, self._repairs)
        critic, *actors = (outputs[:, k, :size] for k, size in enumerate(sizes))
        return actors[0], actors[1] if len(actors) > 1 else None, critic

    def embed(self, observation: Mapping[str, Any]) -> Any:
        """Return the pooled graphs of a batch: the mean by attention, and the maximum of each column."""
        nodes, mask = observation["nodes"], observation["node_mask"] > 0
        batch, count = mask.shape
        nodes = nodes[..., : len(self.card.features)]
        weights = observation["edge_weight"] * (observation["edge_mask"] > 0)
        tails, heads = observation["edge_index"].long().unbind(dim=1)
        rows = torch.arange(batch, device=nodes.device)[:, None].expand_as(tails)
        near = torch.zeros(batch, count, count, dtype=nodes.dtype, device=nodes.device)
        near = near.index_put((rows, tails, heads), weights, accumulate=True)
        near = near + torch.eye(count, dtype=nodes.dtype, device=nodes.device)
        shrink = near.sum(dim=2).rsqrt()
        near = shrink[:, :, None] * near * shrink[:, None, :]
        first = torch.relu(near @ nodes @ self.w1 + self.b1)
        second = torch.relu(near @ first @ self.w2 + self.b2)
        share = (second @ self.attention).masked_fill(~mask, -torch.inf).softmax(dim=1)
        mean = (share[:, :, None] * second).sum(dim=1)
        peak = second.masked_fill(~mask[:, :, None], -torch.inf).amax(dim=1)
        return torch.cat([mean, peak], dim=1)

    def context(self, search: Any) -> Any:
        """Return what the network gets beside the graph, from the numbers on the search of an observation."""
        at = PHASES + self._destroys
        told = search[:, at:]
        destroyed = search[:, 1]
        operator = search[:, PHASES:at].argmax(dim=1).to(search.dtype) / self._destroys
        parts = [told[:, SIGHT.removed] * destroyed, operator * destroyed]
        if self.card.network.context != "paper":
            parts += [told[:, SIGHT.fraction], told[:, SIGHT.gap], told[:, SIGHT.stagnation]]
        if self.card.network.context == "rates":
            parts += [told[:, SIGHT.acceptance_rate], told[:, SIGHT.improvement_rate]]
        if self._rich:
            parts += [told[:, SIGHT.left_out], told[:, SIGHT.vehicles], told[:, SIGHT.types]]
        return torch.stack(parts, dim=1)

    def _value(self, values: Any, logits: Any, first: int, begin: Any) -> Any:
        """The critic's value of a state: its own output, or the mean over the policy of those for operators."""
        if self.card.network.critic == "state":
            return values[:, 0]
        places = first + torch.arange(logits.shape[1], device=logits.device).expand_as(logits)
        if begin is not None:
            places = places + begin[:, None]
        return (logits.softmax(dim=1) * values.gather(1, places)).sum(dim=1)

    def save(self, path: str | os.PathLike[str], training: Mapping[str, Any] | None = None) -> None:
        """Write the policy to a file that ``dac-alns solve --selector dac-t --policy FILE`` takes.

        Parameters
        ----------
        path
            The file.
        training
            How it was trained, for its card: anything that JSON can hold.
        """
        tensors = {
            name: getattr(self, name).detach().cpu().to(torch.float32).numpy().copy()
            for name in tensor_shapes(self.card)
        }
        card = self.card
        if training is not None:
            card = Card(**(vars(card) | {"training": dict(training), "preset": "custom"}))
        save_checkpoint(path, tensors, card)


def card_for(
    problem: str = "cvrp", portfolio: str | Portfolio = "full", kind: str = "dac", preset: str = "paper"
) -> Card:
    """Return the card of a new policy.

    Parameters
    ----------
    problem
        ``"cvrp"``, ``"vrptw"``, or sets of features of richer problems.
    portfolio
        The operators that it chooses from.
    kind
        ``"dac"`` for two actors, ``"ac"`` for one over pairs.
    preset
        The network and its settings, as `DualActorCritic.preset` takes them: ``"paper"``, ``"improved,hidden=32"``.
    """
    chosen, operators = preset_of(preset), as_portfolio(portfolio)
    trained = TrainedPortfolio.of(operators, feature_sets(problem)[0])
    named = preset if preset in ("paper", "improved") else "custom"
    return Card(problem, kind, node_features(problem), trained, chosen.network, chosen.rewards, chosen.learning, named)


def load_policy(path: str | os.PathLike[str]) -> PolicyNetwork:
    """Read one of our policies, such as that of `dacalns.selectors.checkpoint.bundled_policy`.

    Raises
    ------
    InputError
        If PyTorch is not installed, or the file is no policy with a network.
    """
    _require_torch()
    tensors, card = load_checkpoint(path, tensor_shapes)
    try:
        network = PolicyNetwork(card)
    except InputError as error:
        raise InputError(f"{shown_path(path)}: {error}") from None
    with torch.no_grad():
        for name, tensor in tensors.items():
            getattr(network, name).copy_(torch.from_numpy(tensor))
    return network


def tensors(observation: Mapping[str, Any], device: Any = None) -> dict[str, Any]:
    """Return an observation as tensors, with a row for each: one that has none gets one."""
    _require_torch()
    lacking = [name for name in GRAPH if name not in observation]
    if lacking:
        raise InputError(f"the observation has no {shown(lacking[0])}; expected that of an environment with its graph.")
    alone = np.ndim(observation["nodes"]) == 2
    found = {name: torch.as_tensor(np.asarray(array), device=device) for name, array in observation.items()}
    return {name: tensor.unsqueeze(0) if alone else tensor for name, tensor in found.items()}


def _padded(logits: Any, width: int) -> Any:
    return nn.functional.pad(logits, (0, width - logits.shape[1]), value=-torch.inf)


def _require_torch() -> None:
    if torch is None:
        raise InputError("This needs PyTorch, which cannot be imported; run: pip install torch")
