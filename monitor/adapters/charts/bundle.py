"""Prints the browser's chart library as `templates/dashboard/vega.js` has it: what draws here, draws there."""

import vl_convert

if __name__ == "__main__":
    print(vl_convert.javascript_bundle(None))  # noqa: T201 - it is what this module is for
