"""Types of torch.py, whose text exported folders contain."""

import pathlib
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union

import torch

_Folder = Union[str, pathlib.Path]
_Config = dict[str, Any]
_Weights = Mapping[str, torch.Tensor]
_Attention = Literal["softmax", "hard", "averaging-hard"]

DTYPES: dict[str, torch.dtype]
ATTENTIONS: dict[str, str]

class Point(torch.nn.Identity): ...

class Norm(torch.nn.Module):
    mask: torch.nn.Parameter
    zero_below: float
    subtract_mean: bool
    def __init__(self, mask: torch.Tensor, zero_below: float, subtract_mean: bool) -> None: ...
    def forward(self, h: torch.Tensor, at_scale: Callable[[torch.Tensor], torch.Tensor] = ...) -> torch.Tensor: ...

def weigh(
    scores: torch.Tensor, visible: torch.Tensor, temperature: float, tolerance: Mapping[str, Any] | None = None
) -> torch.Tensor: ...
def spread(config: _Config, given: torch.Tensor) -> torch.Tensor: ...

class Head(torch.nn.Module):
    query: torch.nn.Parameter
    key: torch.nn.Parameter
    value: torch.nn.Parameter
    output: torch.nn.Parameter
    causal: bool
    hard: bool
    temperature: float
    tolerance: Mapping[str, Any] | None
    scores: Point
    pattern: Point
    result: Point
    def __init__(self, settings: Mapping[str, Any], weights: _Weights, hard: bool) -> None: ...
    def forward(self, z: torch.Tensor) -> torch.Tensor: ...

class Layer(torch.nn.Module):
    attention_norm: Norm | torch.nn.Identity
    feedforward_norm: Norm | torch.nn.Identity
    heads: torch.nn.ModuleList
    inward: torch.nn.Parameter
    outward: torch.nn.Parameter
    after_attention: Point
    units: Point
    after_feedforward: Point
    def __init__(
        self, settings: Mapping[str, Any], weights: _Weights, index: int, hard: bool, subtract_mean: bool
    ) -> None: ...
    def forward(self, h: torch.Tensor) -> torch.Tensor: ...

class Network(torch.nn.Module):
    config: _Config
    embedding: torch.nn.Parameter
    positions: torch.nn.Parameter
    unembedding: torch.nn.Parameter
    initial: torch.nn.ModuleList
    repeated: torch.nn.ModuleList
    final: torch.nn.ModuleList
    unrolled: bool
    embedded: Point
    def __init__(
        self, config: _Config, weights: _Weights, attention: _Attention | None = None, unrolled: bool = False
    ) -> None: ...
    def loops(self, size: int) -> int: ...
    def forward(
        self,
        tokens: torch.Tensor | None = None,
        given: torch.Tensor | None = None,
        size: int | None = None,
        loops: int | None = None,
    ) -> torch.Tensor: ...
    def points(self) -> dict[str, Point]: ...
    def run_with_cache(self, *inputs: Any, **options: Any) -> tuple[torch.Tensor, dict[str, list[torch.Tensor]]]: ...
    def encode(self, word: Any) -> torch.Tensor: ...
    def answer(self, input: Any) -> torch.Tensor: ...
    def accepts(self, input: Any) -> bool | None: ...
    def prefixes(self, word: Any) -> list[Any]: ...

def require_whole(folder: pathlib.Path) -> None: ...
def read(folder: _Folder) -> tuple[_Config, dict[str, torch.Tensor]]: ...
def try_examples(config: _Config, logits_of: Callable[[dict[str, Any]], torch.Tensor], name: str) -> None: ...
def load(
    folder: _Folder,
    attention: _Attention | None = None,
    unrolled: bool = False,
    device: str | torch.device | None = None,
    dtype: torch.dtype | None = None,
) -> Network: ...

class TrainedNorm(torch.nn.Module):
    epsilon: float
    weight: torch.nn.Parameter
    bias: torch.nn.Parameter | None
    def __init__(self, model: Mapping[str, Any], weights: _Weights, name: str) -> None: ...
    def forward(self, h: torch.Tensor) -> torch.Tensor: ...

def trained_linear(weights: _Weights, name: str) -> torch.nn.Linear: ...

class TrainedBlock(torch.nn.Module):
    model: Mapping[str, Any]
    attention_norm: TrainedNorm
    feedforward_norm: TrainedNorm
    query_key_value: torch.nn.Linear
    output: torch.nn.Linear
    inward: torch.nn.Linear
    outward: torch.nn.Linear
    scores: Point
    pattern: Point
    result: Point
    after_attention: Point
    units: Point
    after_feedforward: Point
    def __init__(self, model: Mapping[str, Any], weights: _Weights, name: str) -> None: ...
    def turned(self, x: torch.Tensor) -> torch.Tensor: ...
    def attend(self, z: torch.Tensor, visible: torch.Tensor) -> torch.Tensor: ...
    def feed_forward(self, z: torch.Tensor) -> torch.Tensor: ...
    def sublayer(
        self, h: torch.Tensor, norm: TrainedNorm, body: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor: ...
    def forward(self, h: torch.Tensor, visible: torch.Tensor) -> torch.Tensor: ...

class TrainedRun(torch.nn.Module):
    config: _Config
    model: dict[str, Any]
    embeddings: torch.nn.ParameterList
    positions: torch.nn.Parameter | None
    step_embedding: torch.nn.Parameter | None
    initial: torch.nn.ModuleList
    repeated: torch.nn.ModuleList
    final: torch.nn.ModuleList
    gate: torch.nn.Linear | None
    final_norm: TrainedNorm | torch.nn.Identity
    readout: torch.nn.Linear
    embedded: Point
    letters: list[str] | None
    labels: list[str] | None
    def __init__(self, config: _Config, weights: _Weights, letters: list[str] | None = None,
                 labels: list[str] | None = None) -> None: ...
    @property
    def begins(self) -> bool: ...
    def loops(self, letters: int) -> int: ...
    def step(self, h: torch.Tensor, number: int) -> torch.Tensor: ...
    def encode(self, words: Any) -> torch.Tensor: ...
    def views(self, count: int, device: str | torch.device | None = None) -> list[torch.Tensor]: ...
    def forward(self, tokens: torch.Tensor, loops: int | None = None) -> torch.Tensor: ...
    def prefixes(self, word: Any) -> list[int]: ...
    def points(self) -> dict[str, Point]: ...
    def run_with_cache(self, *inputs: Any, **options: Any) -> tuple[torch.Tensor, dict[str, list[torch.Tensor]]]: ...

def load_run(
    folder: _Folder, device: str | torch.device | None = None, dtype: torch.dtype | None = None
) -> TrainedRun: ...
