"""Records, with the real torch, TensorFlow or JAX, two processes that train together; the second sleeps in every step.

`two_workers.py FRAMEWORK FOLDER` starts both and prints where their files are; a third argument makes it one of the two.
"""
# pyright: reportMissingImports=false

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

STEPS = 6
SPARE = 3
"""Steps that are recorded and not looked at: a step may return before a span of another thread has ended, and a span that has not
ended when the profiler stops is not recorded."""
WARMUP = 2
"""Steps that torch's schedule leaves out, and counts."""
ATTEMPTS = 3
SLEEP_SECONDS = 0.03
FEATURES = 256


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def slow_down(rank: int) -> None:
    """What makes the second process the one that the first waits for."""
    if rank == 1:
        time.sleep(SLEEP_SECONDS)


def torch_gloo(rank: int, ports: list[int], folder: Path) -> None:
    """DistributedDataParallel over gloo, with torch's profiler."""
    import torch
    import torch.distributed as dist
    from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{ports[0]}", rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(FEATURES, FEATURES))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    values = torch.rand(64, FEATURES)
    plan = schedule(wait=1, warmup=WARMUP - 1, active=STEPS + SPARE, repeat=1)
    written = tensorboard_trace_handler(str(folder), f"host_{rank}")
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, record_shapes=True, on_trace_ready=written) as recorded:
        for _ in range(WARMUP + STEPS + SPARE):
            slow_down(rank)
            optimizer.zero_grad()
            model(values).square().mean().backward()
            optimizer.step()
            recorded.step()
    dist.destroy_process_group()


def tensorflow_workers(rank: int, ports: list[int], folder: Path) -> None:
    """MultiWorkerMirroredStrategy with a loop of its own, with TensorFlow's profiler."""
    workers = [f"127.0.0.1:{port}" for port in ports]
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": {"type": "worker", "index": rank}})
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        weights = tf.Variable(tf.random.stateless_normal((FEATURES, FEATURES), (1, 2)))

    @tf.function
    def train_step(values: tf.Tensor) -> None:
        def replica(values: tf.Tensor) -> None:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(values @ weights))
            gradient = tf.distribute.get_replica_context().all_reduce("sum", tape.gradient(loss, weights))
            weights.assign_sub(0.01 * gradient)

        strategy.run(replica, (values,))

    values = tf.random.normal((64, FEATURES))
    train_step(values)
    tf.profiler.experimental.start(str(folder / f"part{rank}"))
    for step in range(STEPS + SPARE):
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            slow_down(rank)
            train_step(values)
    tf.profiler.experimental.stop()
    train_step(values)  # neither may leave while the other still needs it


def jax_distributed(rank: int, ports: list[int], folder: Path) -> None:
    """jax.distributed over gloo: one device a process, gradients summed by shard_map, with JAX's profiler."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"127.0.0.1:{ports[0]}", num_processes=2, process_id=rank)
    import jax.numpy as jnp
    from jax.experimental import multihost_utils
    from jax.sharding import PartitionSpec

    mesh = jax.make_mesh((2,), ("data",))
    whole, split = PartitionSpec(), PartitionSpec("data")

    def loss_of(weights: jax.Array, values: jax.Array) -> jax.Array:
        return jnp.mean(jnp.square(values @ weights))

    def replica(weights: jax.Array, values: jax.Array) -> jax.Array:
        gradient = jax.grad(loss_of)(weights, values)
        return weights - 0.01 * jax.lax.pmean(gradient, "data")

    train_step = jax.jit(jax.shard_map(replica, mesh=mesh, in_specs=(whole, split), out_specs=whole, check_vma=False))
    weights = multihost_utils.host_local_array_to_global_array(jnp.ones((FEATURES, FEATURES)), mesh, whole)
    values = multihost_utils.host_local_array_to_global_array(jnp.ones((64, FEATURES)), mesh, split)
    weights = train_step(weights, values).block_until_ready()
    jax.profiler.start_trace(str(folder / f"part{rank}"))
    for step in range(STEPS + SPARE):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            slow_down(rank)
            weights = train_step(weights, values).block_until_ready()
    jax.profiler.stop_trace()
    multihost_utils.sync_global_devices("end")


def parameter_server(rank: int, ports: list[int], folder: Path) -> None:
    """A variable that lives in the second process, trained by the first, which alone records."""
    import tensorflow as tf

    cluster = tf.train.ClusterSpec({"worker": [f"127.0.0.1:{ports[0]}"], "ps": [f"127.0.0.1:{ports[1]}"]})
    done = folder / "done"
    if rank == 1:
        tf.distribute.Server(cluster, job_name="ps", task_index=0)
        while not done.exists():
            time.sleep(0.05)
        os._exit(0)  # the server has no end
    tf.config.experimental_connect_to_cluster(cluster, job_name="worker", task_index=0)
    with tf.device("/job:ps/task:0/cpu:0"):
        weights = tf.Variable(tf.ones((FEATURES, FEATURES)))

    @tf.function
    def train_step(values: tf.Tensor) -> tf.Tensor:
        with tf.device("/job:worker/task:0/cpu:0"):
            result = values @ weights
            gradient = tf.matmul(values, result, transpose_a=True)
        with tf.device("/job:ps/task:0/cpu:0"):
            weights.assign_sub(0.001 * gradient)
        return tf.reduce_sum(result)

    with tf.device("/job:worker/task:0/cpu:0"):
        values = tf.ones((64, FEATURES))
    train_step(values)
    tf.profiler.experimental.start(str(folder / "part0"))
    for step in range(STEPS + SPARE):
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            train_step(values).numpy()
    tf.profiler.experimental.stop()
    done.touch()
    os._exit(0)  # the connection to a server that left would wait for it


FRAMEWORKS = {"torch": torch_gloo, "tensorflow": tensorflow_workers, "jax": jax_distributed, "parameter_server": parameter_server}


def both(framework: str, folder: Path) -> list[int]:
    """Runs the two processes; how each ended."""
    ports = json.dumps([free_port(), free_port()])
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "2"}
    started = [
        subprocess.Popen([sys.executable, __file__, framework, str(folder), str(rank), ports], env=environment) for rank in range(2)
    ]
    deadline = time.monotonic() + 250
    while any(process.poll() is None for process in started):
        time.sleep(0.05)
        # Whoever is left alone would wait for the other one without end.
        if any(process.poll() for process in started) or time.monotonic() > deadline:
            for process in started:
                process.kill()
    return [process.wait() for process in started]


def together(framework: str, folder: Path) -> None:
    """Runs both processes and prints their files; the files of TensorFlow and JAX are given one folder, as on a shared disk."""
    for attempt in range(ATTEMPTS):
        codes = both(framework, folder)
        if not any(codes):
            break
        # TensorFlow 2.21's own profiler now and then frees memory twice when it stops, and takes its process with it; and somebody
        # else may have taken a port that was free.
        if attempt == ATTEMPTS - 1:
            sys.exit(f"the workers ended with {codes}")
        for part in folder.glob("part*"):
            shutil.rmtree(part)
    session = folder
    if framework != "torch":
        session = folder / "plugins" / "profile" / "together"
        session.mkdir(parents=True)
        for part in sorted(folder.glob("part*")):
            (found,) = part.rglob("*.xplane.pb")
            found.rename(session / f"worker{part.name.removeprefix('part')}.xplane.pb")
    whole = f":{STEPS + (WARMUP if framework == 'torch' else 0)}"
    print(json.dumps({"session": str(session), "steps": STEPS, "range": whole, "sleep_ns": round(SLEEP_SECONDS * 1e9)}))


if len(sys.argv) == 3:
    together(sys.argv[1], Path(sys.argv[2]))
else:
    FRAMEWORKS[sys.argv[1]](int(sys.argv[3]), json.loads(sys.argv[4]), Path(sys.argv[2]))
