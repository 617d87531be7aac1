"""What pages are put together from: templates, style sheets, scripts, and a policy that forbids everything else."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from isthmus.core.proportions import in_tenths
from isthmus.inspection.notebook import LOADER, N_COLORS, bridge_style
from isthmus.io.documents import without_lone_surrogates

_HARMFUL = "<>&\u2028\u2029"


def script_json(value: Any) -> Markup:
    """JSON that can stand in a script element: nothing in it can end the element or open another."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in _HARMFUL:
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704 - the lines above made it harmless


def content_policy(scripts: list[str], styles: list[str]) -> str:
    """Nothing from anywhere: the page's own style and scripts by their digests, and no network."""
    return (
        f"default-src 'none'; script-src {_digests(scripts)}; style-src {_digests(styles)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digests(texts: list[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()}'" for t in texts)


@cache
def read_asset(name: str) -> str:
    """A file of this folder's assets."""
    return (resources.files("isthmus.report") / "assets" / name).read_text(encoding="utf-8")


def render_page(template: str, *, script: str = "", style: str = "", **values: Any) -> str:
    """A page as text: a template with the style of all pages and more of its own, and the policy that allows these."""
    style, theme = bridge_style() + read_asset("page.css") + style, read_asset("theme.js")
    parts = {"style": Markup(style), "theme": Markup(theme), "script": Markup(script)}  # noqa: S704 - our own files
    policy = content_policy([theme, *([script] if script else [])], [style])
    page = page_environment().get_template(template)
    html = page.render(policy=policy, today=date.today().isoformat(), **parts, **values)
    return without_lone_surrogates(html)


@cache
def page_environment() -> Environment:
    """Templates in which nothing of a document is ever markup."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("isthmus.report", "assets"), LOADER]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": percent,
        "whole": lambda share: f"{share:.0%}",
        "number": lambda value: f"{value:,}",
        "color": lambda n: n % N_COLORS,
    }
    return environment


def percent(share: float) -> str:
    """Whole percents, and tenths where they are few.

    >>> percent(0.5), percent(0.034), percent(0.0002), percent(0.0), percent(0.9996)
    ('50%', '3.4%', '<0.1%', '0%', '>99.9%')
    """
    near_an_end = 0 < share < 0.1 or 0.9 < share < 1
    return in_tenths(share) if near_an_end else f"{share:.0%}"
