"""The list of dashboards; its order is the order of the tabs."""

from __future__ import annotations

from stepscope.dashboards.audio.dashboard import AUDIO
from stepscope.dashboards.custom_scalars.dashboard import CUSTOM_SCALARS
from stepscope.dashboards.histograms.dashboard import HISTOGRAMS
from stepscope.dashboards.images.dashboard import IMAGES
from stepscope.dashboards.mesh.dashboard import MESH
from stepscope.dashboards.pr_curves.dashboard import PR_CURVES
from stepscope.dashboards.profile.dashboard import PROFILE
from stepscope.dashboards.route import Dashboard
from stepscope.dashboards.scalars.dashboard import SCALARS
from stepscope.dashboards.text.dashboard import TEXT

ALL_DASHBOARDS: tuple[Dashboard, ...] = (SCALARS, IMAGES, AUDIO, TEXT, HISTOGRAMS, PR_CURVES, MESH, PROFILE, CUSTOM_SCALARS)
