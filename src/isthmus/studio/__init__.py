"""Label in the browser: a page on this machine, a project file, and fits in the background."""

from isthmus.studio.app import Loaded, studio_app
from isthmus.studio.project import Project, ProjectDocuments
from isthmus.studio.session import Session

__all__ = ["Loaded", "Project", "ProjectDocuments", "Session", "studio_app"]
