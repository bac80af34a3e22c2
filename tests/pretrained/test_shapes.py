import pytest
import torch
from transformers import AutoModelForCausalLM

from logdepth.pretrained.problem import Problem
from logdepth.pretrained.shapes import Shape, ThinkBlock, parse_shape, set_shape


def logits(model, tokens):
    with torch.no_grad():
        return model.network(tokens, use_cache=False).logits


def test_one_pass_is_the_model_bit_for_bit(any_model, tokens):
    set_shape(any_model, Shape(0, 6, 0))
    plain = logits(any_model, tokens)
    for shape in ("2-2*1-2", "0-6*1-0", "1-4-1"):
        assert torch.equal(logits(set_shape(any_model, parse_shape(shape)), tokens), plain)


def test_an_opened_model_has_the_logits_of_transformers(any_model, tokens):
    set_shape(any_model, Shape(0, 6, 0))
    with torch.no_grad():
        theirs = AutoModelForCausalLM.from_pretrained(any_model.path)(tokens, use_cache=False).logits
    assert torch.equal(logits(any_model, tokens), theirs)
    assert torch.equal(any_model.head(any_model.states(tokens)), theirs)


def test_two_passes_are_the_layers_written_out(any_model, tokens):
    looped = logits(set_shape(any_model, parse_shape("2-2*2-2")), tokens)
    assert not torch.equal(looped, logits(set_shape(any_model, parse_shape("2-2-2")), tokens))
    assert torch.equal(logits(set_shape(any_model, parse_shape("2-2+2-2")), tokens), looped)


def test_a_looped_model_writes_the_same_with_and_without_a_cache(any_model, tokens):
    set_shape(any_model, parse_shape("1-3*3-2"))
    written = [any_model.network.generate(tokens, max_new_tokens=7, do_sample=False, use_cache=c, pad_token_id=0) for c in (True, False)]
    assert torch.equal(*written)


def test_loops_add_no_numbers_and_untied_layers_do(model):
    before = model.parameters()
    assert set_shape(model, parse_shape("2-2*4-2")).parameters() == before
    assert set_shape(model, parse_shape("2-2+2-2")).parameters() > before


def test_untied_layers_learn_apart(model, tokens):
    set_shape(model, parse_shape("2-2+2-2"))
    model.network(tokens).logits.sum().backward()
    layers = model.body.layers
    a, b = layers[2].mlp.up_proj.weight, layers[4].mlp.up_proj.weight
    assert a is not b and torch.equal(a, b) and not torch.equal(a.grad, b.grad)


@pytest.mark.parametrize("kind", ["straight-through", "mixture", "untrained"])
def test_a_router_that_halts_at_once_is_one_pass(model, tokens, kind):
    plain = logits(model, tokens)
    set_shape(model, parse_shape(f"2-2-2-{kind}"))
    torch.nn.init.constant_(model.think.router.bias, 20.0)
    torch.nn.init.zeros_(model.think.router.weight)
    assert torch.allclose(logits(model, tokens), plain, atol=1e-6)
    assert model.think.loops_taken.eq(1).all()


@pytest.mark.parametrize("kind, learns", [("straight-through", True), ("mixture", True), ("untrained", False)])
def test_which_routers_learn(model, tokens, kind, learns):
    set_shape(model, parse_shape(f"2-2-2-{kind}")).network.train()
    model.network(tokens, use_cache=False).logits.square().sum().backward()
    grad = model.think.router.weight.grad
    assert (grad is not None and bool(grad.abs().sum() > 0)) == learns
    assert 1 < model.think.loops_taken.max() <= 10


def test_tokens_halt_apart_and_keep_their_state(model, tokens):
    set_shape(model, parse_shape("2-2-2-straight-through"))
    torch.nn.init.normal_(model.think.router.weight, std=3, generator=torch.Generator().manual_seed(1))
    logits(model, tokens)
    assert len(model.think.loops_taken.unique()) > 1
    with pytest.raises(Problem, match="use_cache=False"):
        model.network.generate(tokens, max_new_tokens=2, use_cache=True, pad_token_id=0)
    assert model.network.generate(tokens, max_new_tokens=2, use_cache=False, pad_token_id=0).shape == (3, 11)


class AddOne(torch.nn.Module):
    def forward(self, state, **how):
        return state + 1


@pytest.mark.parametrize("kind, first", [("untrained", 3.0), ("straight-through", 3.0), ("mixture", 0.4 * 1 + 0.4 * 2 + 0.2 * 3)])
def test_a_token_halts_when_its_weights_add_up_to_one_but_a_hundredth(kind, first):
    """Weights worked out by hand: .4 halts after three passes, .995 after one, padding before any, and 1e-6 at the cap."""
    block = ThinkBlock([AddOne()], kind, 1, 10).eval()
    logits = torch.tensor([0.4, 0.995, 0.4, 1e-6]).logit()
    block.router = torch.nn.Identity()
    block.router.weight = torch.zeros(1)
    block.router.forward = lambda state: logits.view(1, 4, 1)
    block.real = torch.tensor([[True, True, False, True]])
    state = block(torch.zeros(1, 4, 1))[0, :, 0]
    assert block.loops_taken.tolist() == [[3, 1, 0, 64]]
    assert torch.allclose(state[:3], torch.tensor([first, 1.0, 0.0])) and (state[3] > 60)
    block.train()(torch.zeros(1, 4, 1))
    assert block.loops_taken[0, 3] == 10


@pytest.mark.parametrize("text", ["3-2", "3-0*2-3", "3-2*0-3", "3-2+3-3", "3-2*65-3", "3-2*2-3-mixture", "a-2-3"])
def test_what_is_no_shape(text):
    with pytest.raises(Problem, match="--shape: expected"):
        parse_shape(text)


def test_names_are_read_again():
    for text in ("3-2x2-3", "3-2+2-3", "3-2-3-mixture"):
        assert str(parse_shape(text)) == text


def test_a_shape_of_other_layers(model):
    with pytest.raises(Problem, match="expected 6 layers in all"):
        set_shape(model, parse_shape("3-2*2-3"))
