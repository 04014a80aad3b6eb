"""Communication in XSpace files: collectives of TensorFlow, JAX and many libraries, and tensors from other hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

import xspace_bytes as xb
from stepscope.formats.format import Limits
from stepscope.formats.xplane import FORMAT
from stepscope.model.profile import Profile, SpanKind, TrackPurpose

US = 1_000_000
"""Picoseconds in a microsecond."""
HERE = "/job:worker/replica:0/task:0/device:CPU:0"
THERE = "/job:ps/replica:0/task:0/device:CPU:0"


def read(folder: Path, *planes: xb.Plane) -> Profile:
    return FORMAT.read(xb.write(folder, xb.space(*planes)), Limits())


def collectives(profile: Profile) -> list[str]:
    assert (profile.spans.kind[profile.collectives.row] == SpanKind.COLLECTIVE).all()
    return [profile.names[name] for name in profile.collectives.name]


@pytest.mark.parametrize(
    ("name", "common"),
    [
        ("CollectiveReduceV2:CollectiveReduceV2", "allreduce"),
        ("a/CollectiveReduce:CollectiveReduceV3", "allreduce"),
        ("CollectiveGatherV2:CollectiveGatherV2", "allgather"),
        ("CollectiveReduceScatterV2:CollectiveReduceScatterV2", "reduce_scatter"),
        ("CollectiveBcastSendV2:CollectiveBcastSendV2", "broadcast"),
        ("CollectiveAllToAllV3:CollectiveAllToAllV3", "alltoall"),
        ("NcclAllReduce:NcclAllReduce", "allreduce"),
        ("grads/HorovodAllreduce_0:HorovodAllreduce", "allreduce"),
        ("HorovodAllgather:HorovodAllgather", "allgather"),
        ("RecvTensor", "recv"),
        ("MPI_Allreduce", "allreduce"),
    ],
)
def test_operations_of_hosts(tmp_path: Path, name: str, common: str) -> None:
    host = xb.Plane("/host:CPU")
    host.line("collective_ops/12", host.event(name, 0, 5 * US))
    profile = read(tmp_path, host)
    assert collectives(profile) == [common]
    assert profile.tracks[0].purpose is TrackPurpose.COMMUNICATION


@pytest.mark.parametrize("name", ["CollectiveAssignGroupV2:CollectiveAssignGroupV2", "mean:Mean", "Reduce:Sum", "matmul:_MklMatMul"])
def test_other_operations_do_not_communicate(tmp_path: Path, name: str) -> None:
    host = xb.Plane("/host:CPU")
    host.line("tf_Compute/1", host.event(name, 0, 5 * US))
    profile = read(tmp_path, host)
    assert collectives(profile) == []
    assert profile.spans.kind.tolist() == [SpanKind.OP]


@pytest.mark.parametrize(
    ("hlo", "common"),
    [
        ("psum.7", "allreduce"),
        ("pmax.1", "allreduce"),
        ("all_gather.2", "allgather"),
        ("psum_scatter.2", "reduce_scatter"),
        ("reduce_scatter.2", "reduce_scatter"),
        ("all_to_all", "alltoall"),
        ("ppermute.3", "sendrecv"),
        ("all-reduce-start.1", "allreduce"),
        ("collective-permute-done.1", "sendrecv"),
    ],
)
def test_instructions_that_a_cpu_executes(tmp_path: Path, hlo: str, common: str) -> None:
    host = xb.Plane("/host:CPU")
    host.line("tf_XLAEigen/1", host.event(hlo, 0, 5 * US, hlo_op=f"ref:{hlo}", hlo_module="ref:jit_f"))
    assert collectives(read(tmp_path, host)) == [common]


@pytest.mark.parametrize(
    ("kernel", "common"),
    [
        ("hcom_allReduce__123", "allreduce"),
        ("oneccl_allreduce_large", "allreduce"),
        ("nvshmemi_alltoall_kernel", "alltoall"),
        ("void deep_ep::intranode::combine<2>(int)", "combine"),
        ("mscclpp::allgather(int)", "allgather"),
        ("void vllm::cross_device_reduce_1stage<float, 8>()", "allreduce"),
        ("multimem_all_reduce_kernel", "allreduce"),
    ],
)
def test_kernels_of_many_libraries(tmp_path: Path, kernel: str, common: str) -> None:
    device = xb.Plane("/device:GPU:0")
    device.line("Stream #3", device.event(kernel, 0, 5 * US), device.event("reduce_kernel", 6 * US, US))
    profile = read(tmp_path, device)
    assert collectives(profile) == [common]
    assert profile.spans.kind.tolist() == [SpanKind.COLLECTIVE, SpanKind.KERNEL]


def test_a_group_and_its_size(tmp_path: Path) -> None:
    host = xb.Plane("/host:CPU")
    host.line("tf_GrpcWorkerEnvQueues/1", host.event("CollectiveExecutor::CompleteParams", 0, US, group_key=4, group_size=16))
    host.line("collective_ops/1", host.event("CollectiveReduceV2:CollectiveReduceV2", 2 * US, US, group_key=4, instance_key=102))
    table = read(tmp_path, host).collectives
    assert table.group_size.tolist() == [16]


def received(folder: Path, done_on: str) -> Profile:
    host = xb.Plane("/host:CPU")
    what = {"kernel_type": "ref:_Recv", "name": "ref:weights/_2"}
    host.line("tf_Compute/1", host.event("ExecutorState::ProcessAsync::Start", 2 * US, US, _pt=2, _p=77, **what))
    host.line(done_on, host.event("ExecutorState::ProcessAsync::Done", 9 * US, US, _ct=2, _c=77, **what))
    return read(folder, host)


def test_a_tensor_of_another_host_is_awaited_by_no_operation(tmp_path: Path) -> None:
    profile = received(tmp_path, "tf_GrpcWorkerEnvQueues/4")
    assert collectives(profile) == ["recv"]
    row = int(profile.collectives.row[0])
    spans = profile.spans
    assert (spans.start[row], spans.end[row]) == (2_000, 9_000)
    assert profile.names[spans.name[row]] == "between hosts"
    assert profile.ops[spans.op[row]].name == "weights/_2"


def test_a_tensor_of_the_same_host_is_no_communication(tmp_path: Path) -> None:
    assert collectives(received(tmp_path, "tf_Compute/2")) == []


@pytest.mark.parametrize(("target", "found"), [(THERE, ["send"]), ("/job:worker/replica:0/task:0/device:GPU:1", []), ("", [])])
def test_sending_to_another_host(tmp_path: Path, target: str, found: list[str]) -> None:
    host = xb.Plane("/host:CPU")
    host.line("tf_Compute/1", host.event("x/_3:_Send", 0, US, key=f"ref:{HERE};33d2;{target};edge_1;0:0"))
    assert collectives(read(tmp_path, host)) == found
