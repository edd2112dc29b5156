"""Observations as graphs of PyTorch Geometric."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dacalns.gym.optional import module


def to_pyg(observation: Mapping[str, Any]) -> Any:
    """Return an observation as ``torch_geometric.data.Data``, without the padding.

    It has ``x``, ``edge_index``, ``edge_weight``, and as rows of one, for batches, ``search`` and ``action_mask``.

    Raises
    ------
    InputError
        If PyTorch or PyTorch Geometric is not installed.
    """
    torch, data = module("torch"), module("torch_geometric.data")
    nodes, edges = (int(np.asarray(observation[mask]).sum()) for mask in ("node_mask", "edge_mask"))

    def tensor(name: str, *parts: slice) -> Any:
        return torch.as_tensor(np.ascontiguousarray(np.asarray(observation[name])[parts]))

    return data.Data(
        x=tensor("nodes", slice(nodes)),
        edge_index=tensor("edge_index", slice(None), slice(edges)),
        edge_weight=tensor("edge_weight", slice(edges)),
        search=tensor("search").unsqueeze(0),
        action_mask=tensor("action_mask").bool().unsqueeze(0),
    )
