"""All rules. Importing the modules registers them, in the order of the operator's list."""

from rules import pods, lifecycle, availability, network, jobs, references, figures  # noqa: F401
