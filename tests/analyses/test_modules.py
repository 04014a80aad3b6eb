"""The tree of modules: recorded calls or name scopes, with the backward pass at the module it belongs to."""

from __future__ import annotations

from analyses.module_profiles import called
from analyses.timeline import Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.work.modules import ModuleRow, module_tree, modules
from stepscope.analyses.work.operations import By, operations
from stepscope.model.profile import Profile, SpanKind


def by_path(profile: Profile) -> dict[str, ModuleRow]:
    return {row.path: row for row in modules(profile)}


def test_recorded_calls_make_a_tree() -> None:
    rows = by_path(called())
    net, linear = rows["Net_0"], rows["Net_0/Linear_0"]
    assert (net.calls, linear.calls, net.depth, linear.depth) == (1, 2, 0, 1)
    assert (net.forward.host_ns, net.forward.host_self_ns) == (100, 40)
    assert (linear.forward.host_ns, linear.forward.host_self_ns) == (60, 60)
    assert (net.forward.device_ns, net.forward.device_self_ns, linear.forward.device_ns) == (14, 0, 14)


def test_the_backward_pass_belongs_to_the_module_of_the_forward_operation() -> None:
    rows = by_path(called())
    assert (rows["Net_0/Linear_0"].backward.host_ns, rows["Net_0/Linear_0"].backward.device_ns) == (30, 11)
    assert (rows["Net_0"].backward.host_ns, rows["Net_0"].backward.host_self_ns) == (30, 0)


def test_shares_are_of_the_device_where_modules_ran_there() -> None:
    profile = called()
    tree = module_tree(profile)
    assert tree.recorded
    assert [row.share for row in tree.rows] == [1.0, 1.0]
    builder = Timeline()
    for place, (scope, length) in enumerate((("a/b", 30), ("a", 10), ("c", 60))):
        builder.span("main", place * 100, place * 100 + length, SpanKind.OP, scope, op=builder.op(scope, scope=scope))
    scopes = module_tree(builder.build())
    assert not scopes.recorded
    assert {row.path: row.share for row in scopes.rows} == {"a": 0.4, "a/b": 0.3, "c": 0.6}


def test_operations_by_module() -> None:
    profile = called()
    rows = {(row.name, row.device): row for row in operations(profile, break_down(profile), By.MODULE)}
    assert (rows["Net_0/Linear_0", "host"].count, rows["Net_0/Linear_0", "host"].total_ns) == (3, 70)
    assert (rows["Net_0/Linear_0", "GPU 0"].count, rows["Net_0/Linear_0", "GPU 0"].total_ns) == (3, 25)
    assert len(rows) == 2


def test_without_calls_the_scopes_are_the_tree() -> None:
    builder = Timeline()
    scopes = ["model/dense", "model/gradient_tape/model/dense", "jit(f)/transpose(jvp(dense))", "jit(f)/jvp(dense)", ""]
    for place, scope in enumerate(scopes):
        op = builder.op(f"op{place}", scope=scope.replace("model/gradient_tape/", "gradient_tape/"))
        builder.span("main", place * 100, place * 100 + 10 + place, SpanKind.OP, f"op{place}", op=op)
    rows = by_path(builder.build())
    assert [*rows] == ["model", "model/dense", "jit(f)", "jit(f)/jvp(dense)"]
    dense, jax = rows["model/dense"], rows["jit(f)/jvp(dense)"]
    assert (dense.forward.host_ns, dense.backward.host_ns, dense.calls) == (10, 11, 2)
    assert (jax.forward.host_ns, jax.backward.host_ns) == (13, 12)


def test_calls_that_lightning_annotates() -> None:
    builder = Timeline()
    builder.span("main", 0, 100, SpanKind.ANNOTATION, "[pl][module]net.Net: net")
    builder.span("main", 10, 60, SpanKind.ANNOTATION, "[pl][module]torch.nn.Linear: net.0")
    builder.span("main", 20, 50, SpanKind.OP, "aten::linear")
    builder.span("main", 70, 90, SpanKind.ANNOTATION, "[pl][profile]on_train_batch_end")
    rows = by_path(builder.build())
    assert [*rows] == ["net.Net: net", "net.Net: net/torch.nn.Linear: net.0"]
    assert (rows["net.Net: net"].forward.host_ns, rows["net.Net: net/torch.nn.Linear: net.0"].forward.host_ns) == (100, 50)


def test_recorded_calls_come_before_annotated_ones() -> None:
    builder = Timeline()
    builder.span("main", 0, 100, SpanKind.ANNOTATION, "[pl][module]net.Net: net")
    builder.span("main", 10, 60, SpanKind.PYTHON, "nn.Module: Net_0")
    assert [*by_path(builder.build())] == ["Net_0"]


def test_neither() -> None:
    assert modules(Timeline().draw("main   oo").build()) == []
    assert modules(Timeline().build()) == []
