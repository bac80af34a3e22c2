"""Types of lens.py, whose text exported folders contain."""

from collections.abc import Mapping, Sequence
from typing import Any, type_check_only

import torch
from transformer_lens.model_bridge import TransformerBridge
from transformer_lens.model_bridge.generalized_components import AttentionBridge, NormalizationBridge
from transformer_lens.model_bridge.sources.native.model import NativeAttention

from .torch import _Config, _Folder, _Weights

SCALE: float

class Attention(NativeAttention):
    sees_later: torch.Tensor
    tolerances: list[Mapping[str, Any] | None]
    def __init__(self, cfg: Any, heads: Sequence[Mapping[str, Any]], hard: bool) -> None: ...
    def forward(
        self,
        hidden_states: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        pattern_fn: Any = None,
        scores_fn: Any = None,
        **_: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]: ...

class ExactAttentionBridge(AttentionBridge):
    def forward(self, *args: Any, **kwargs: Any) -> Any: ...

class ExactNormBridge(NormalizationBridge):
    property_aliases: dict[str, str]
    def forward(self, hidden_states: torch.Tensor, **_: Any) -> torch.Tensor: ...

class Names:
    config: _Config
    residual: list[str]
    tokens: list[str]
    logits: list[str]
    heads: list[list[str]]
    def __init__(self, config: _Config, weights: _Weights, layers: Sequence[int], bridge: TransformerBridge) -> None: ...
    def encode(self, input: Any) -> torch.Tensor: ...
    def answer(self, input: Any) -> torch.Tensor: ...
    def accepts(self, input: Any) -> bool | None: ...
    def prefixes(self, word: Any) -> list[Any]: ...

@type_check_only
class LogdepthBridge(TransformerBridge):
    """What `load` returns: a TransformerBridge with the names of logdepth."""

    logdepth: Names

def layers_in_order(config: _Config) -> list[int]: ...
def load(folder: _Folder, device: str | torch.device | None = None) -> LogdepthBridge: ...
