"""Steps of a torch training that nobody marks: one begins with the first module that is called after the optimizer has stepped."""

from __future__ import annotations

from typing import Any, Self

from stepscope.capture.marked_steps import MarkedSteps
from stepscope.integrations.framework import load


class OptimizerSteps:
    """Asks torch to be called after each step of an optimizer and before each call of a module.

    The first optimizer that steps counts; those of others, as of a GAN, are part of its steps. Torch's profiler must not start or stop
    inside of an operation, and an optimizer's step is one: so a step ends when the next module is called.
    """

    def __init__(self, steps: MarkedSteps) -> None:
        """Begins step 0 with the first call of a module."""
        self._steps = steps
        self._number = -1
        self._has_stepped = True
        self._optimizer: object = None
        optimizers, modules = load("torch.optim.optimizer", "torch"), load("torch.nn.modules.module", "torch")
        self._hooks: list[Any] = [
            optimizers.register_optimizer_step_post_hook(self._stepped),
            modules.register_module_forward_pre_hook(self._called),
        ]

    @classmethod
    def from_environment(cls, logdir: str) -> Self | None:
        """For the capture that STEPSCOPE_PROFILE asks for; None when it asks for none."""
        steps = MarkedSteps.from_environment(logdir, "torch")
        return None if steps is None else cls(steps)

    def _stepped(self, optimizer: object, arguments: object, named: object) -> None:
        del arguments, named
        if self._optimizer is None:
            self._optimizer = optimizer
        self._has_stepped |= optimizer is self._optimizer

    def _called(self, module: object, arguments: object) -> None:
        del module, arguments
        if self._has_stepped:
            self._has_stepped = False
            self._steps.end()
            self._number += 1
            self._steps.begin(self._number)

    def close(self) -> None:
        """Saves the profile."""
        for hook in self._hooks:
            hook.remove()
        self._steps.close()
