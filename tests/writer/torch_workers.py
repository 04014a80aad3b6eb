"""Logs from torch's DataLoader workers and from the training process, with one writer; runs with the peers' Python."""
# pyright: reportMissingImports=false

import sys
from typing import Any

from torch.utils.data import DataLoader, Dataset, get_worker_info

from stepscope.writer import SummaryWriter


class Items(Dataset[int]):
    """Forty numbers. A worker that was spawned gets no writer, and makes one of its own."""

    def __init__(self, folder: str, writer: Any) -> None:
        self.folder = folder
        self.writer = writer

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> int:
        assert get_worker_info() is not None
        if self.writer is None:
            self.writer = SummaryWriter(self.folder)
        self.writer.add_scalar("item", index, index)
        return index


if __name__ == "__main__":
    folder, method = sys.argv[1:]
    with SummaryWriter(folder) as writer:
        items = Items(folder, writer if method == "fork" else None)
        loader = DataLoader(items, batch_size=4, num_workers=2, multiprocessing_context=method)
        for epoch in range(2):
            for number, _ in enumerate(loader):
                writer.add_scalar("batch", 1.0, 10 * epoch + number)
