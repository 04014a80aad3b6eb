"""What the demo logs on tones that training never sees: numbers, pictures, text, sound, curves and a point cloud."""

from __future__ import annotations

import numpy as np

from stepscope import SummaryWriter, projector
from stepscope.demo import pictures
from stepscope.demo.network import Network, accuracy, cross_entropy
from stepscope.demo.tones import NAMES, SAMPLE_RATE, Array, Batch, Tones, named, spectrogram

_SHOWN = 4
_LISTED = 16


class Evaluation:
    """The validation set, and the logging of what a network makes of it."""

    def __init__(self, count: int, seed: int) -> None:
        """Renders the tones once, so that every network is asked the same."""
        random = np.random.default_rng(seed)
        tones = Tones(count, seed)
        self._sounds = [tones.samples(index, random) for index in range(count)]
        spectrograms = [spectrogram(sound) for sound in self._sounds]
        self._batch = Batch(np.stack(spectrograms, dtype=np.float16, casting="same_kind"), tones.labels)

    def log(self, writer: SummaryWriter, network: Network, step: int) -> None:
        """Logs how well the network does at this step, in every form that helps to see why."""
        seen, labels = network.forward(self._batch.spectrograms), self._batch.labels
        probabilities = seen.probabilities
        writer.add_scalar("loss", cross_entropy(probabilities, labels), step)
        writer.add_scalar("accuracy", accuracy(probabilities, labels), step)
        for index, name in enumerate(NAMES):
            writer.add_pr_curve(f"precision_recall/{name}", labels == index, probabilities[:, index], step)
        self._log_pictures(writer, network, probabilities, step)
        self._log_mistake(writer, probabilities, step)
        points, colours = pictures.point_cloud(seen.embedding, labels)
        writer.add_mesh("embedding", points, colours, global_step=step, config_dict={"material": {"size": 0.08}})

    def log_embedding(self, folder: str, network: Network) -> None:
        """Writes the embedding of the whole validation set for the projector."""
        seen, labels = network.forward(self._batch.spectrograms), self._batch.labels
        names = {"timbre": named(labels), "prediction": named(seen.logits.argmax(axis=1))}
        sprites = pictures.spectrogram_pictures(self._batch.spectrograms).transpose(0, 3, 1, 2)
        projector.write_embedding(folder, seen.embedding, names, sprites)

    def _log_pictures(self, writer: SummaryWriter, network: Network, probabilities: Array, step: int) -> None:
        labels, guesses = self._batch.labels, probabilities.argmax(axis=1)
        writer.add_annotated_image(
            "predictions",
            pictures.spectrogram_pictures(self._batch.spectrograms[:_SHOWN]),
            step,
            labels=named(guesses[:_SHOWN]),
            correct=(guesses == labels)[:_SHOWN].tolist(),
            dataformats="NHWC",
        )
        writer.add_images("filters", pictures.filter_pictures(network.parameters["conv/weight"]), step, dataformats="NHWC")
        counts = pictures.confusion(guesses, labels)
        writer.add_annotated_image(
            "confusion_matrix",
            pictures.confusion_picture(counts),
            step,
            boxes=pictures.cell_boxes(counts),
            labels=[str(count) for count in counts[counts > 0]],
            correct=np.eye(len(NAMES), dtype=bool)[counts > 0].tolist(),
            dataformats="HWC",
        )
        writer.add_text("confusion_matrix", pictures.confusion_table(counts), step)
        writer.add_text("predictions", pictures.prediction_table(probabilities[:_LISTED], labels[:_LISTED]), step)

    def _log_mistake(self, writer: SummaryWriter, probabilities: Array, step: int) -> None:
        """The tone that the network is most wrong about, to listen to."""
        labels = self._batch.labels
        worst = int(probabilities[np.arange(len(labels)), labels].argmin())
        truth, guess = NAMES[int(labels[worst])], NAMES[int(probabilities[worst].argmax())]
        writer.add_audio("worst_prediction", self._sounds[worst], step, SAMPLE_RATE)
        writer.add_text("worst_prediction", f"Timbre: **{truth}**. Prediction: **{guess}**.", step)
