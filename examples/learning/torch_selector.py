"""Any PyTorch module as a selector: the compiled loop calls it back for every choice.

    pip install dac-alns torch
    python torch_selector.py

The module sees the graph of the solution and returns a number for each operator. This one has not learned anything.
"""

import torch
from torch import nn

import dacalns


class Graph(nn.Module):
    """The mean over the nodes of one round of messages, for destroy and for repair operators."""

    def __init__(self, features: int, destroys: int, repairs: int) -> None:
        super().__init__()
        self.message = nn.Linear(features, 16)
        self.heads = nn.ModuleList(nn.Linear(16, size) for size in (destroys, repairs))

    def forward(self, nodes: torch.Tensor, edges: torch.Tensor, weights: torch.Tensor, phase: int) -> torch.Tensor:
        """Return the logits of the operators of a phase."""
        gathered = torch.zeros_like(nodes).index_add(0, edges[0], weights[:, None] * nodes[edges[1]])
        return self.heads[phase](torch.relu(self.message(nodes + gathered)).mean(dim=0))


class TorchSelector:
    """Draws operators by what a module says of the solution."""

    name = "torch"

    def __init__(self, module: nn.Module) -> None:
        self.module = module

    def start(self, destroys: list[str], repairs: list[str], seed: int) -> None:
        """Begin a run."""
        self.random = torch.Generator().manual_seed(seed)

    def select_destroy(self, state: dacalns.State) -> int:
        """Choose for the current solution."""
        return self._draw(state, 0)

    def select_repair(self, destroyed: dacalns.State, destroy: int) -> int:
        """Choose for what has been destroyed."""
        return self._draw(destroyed, 1)

    def update(self, outcome: dacalns.Outcome) -> None:
        """Learn from what came of it, if you like."""

    @torch.no_grad()
    def _draw(self, state: dacalns.State, phase: int) -> int:
        tails, heads, weights = (torch.from_numpy(array) for array in state.edges)
        logits = self.module(torch.from_numpy(state.node_features), torch.stack([tails, heads]), weights, phase)
        return int(torch.multinomial(logits.softmax(0), 1, generator=self.random))


if __name__ == "__main__":
    torch.manual_seed(0)
    portfolio = dacalns.PORTFOLIOS["paper"]
    module = Graph(4, len(portfolio.destroy), len(portfolio.repair))
    result = dacalns.solve(
        "A-n32-k5", selector=TorchSelector(module), portfolio=portfolio, stop=dacalns.MaxIterations(500)
    )
    print(result)
