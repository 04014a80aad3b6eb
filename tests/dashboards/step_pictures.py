"""Pictures of steps that several tests draw."""

from __future__ import annotations

TWO_STEPS = """
    main       1111111111222222222233333333334444444444
    main       iiil......iiil......iiil......iiil......
    gpu 0          KKKKHH    KKKKHH    KKKKHH    KKKKHH
"""
