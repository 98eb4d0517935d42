"""Prints the browser's chart library as `templates/dashboard/vega.js` has it: what draws here, draws there."""

import vl_convert

if __name__ == "__main__":
    whole = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgot the default
    print(whole)  # noqa: T201 - it is what this module is for
