"""The dashboard's pages: products and their history, competitors, executions. They read and never change anything."""

from monitor.web.dashboard.routes import dashboard_routes

__all__ = ["dashboard_routes"]
