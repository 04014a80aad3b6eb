"""What is recorded beside training, from threads of its own: the use of the machine."""

from stepscope.capture.system_monitor import SystemMonitor

__all__ = ["SystemMonitor"]
