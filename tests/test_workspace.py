"""That workspace.py notices what it is there for. Run by `make lint`."""

import unittest

import workspace


def package(*dependencies, publish=None):
    named = [{"name": workspace.PREFIX + name, "kind": kind} for name, kind in dependencies]
    return {"dependencies": named, "publish": publish}


PACKAGES = {"high": package(("middle", None)), "middle": package(("low", None), ("probe", "dev")), "low": package(), "probe": package(publish=[])}
TABLE = [("high", "1", "a", "nothing"), ("middle", "1", "a", "-"), ("probe", "1", "a", "-"), ("low", "1", "a", "-")]


class Directions(unittest.TestCase):
    def errors(self, packages=PACKAGES, table=TABLE):
        return [*workspace.directions(table, packages), *workspace.only_for_tests(packages)]

    def test_what_stands_right_is_right(self):
        self.assertEqual(self.errors(), [])

    def test_upward(self):
        for kind in (None, "dev"):
            packages = {**PACKAGES, "low": package(("middle", kind))}
            self.assertIn("low depends on middle, which is not below it in the table", self.errors(packages))

    def test_forbidden_through_others(self):
        table = [("high", "1", "a", "what is deep: `low`"), *TABLE[1:]]
        self.assertEqual(self.errors(table=table), ["high must not know low, and reaches it"])

    def test_tests_of_others_are_not_reached(self):
        table = [("high", "1", "a", "`probe`"), *TABLE[1:]]
        self.assertEqual(self.errors(table=table), [])
        table = [TABLE[0], ("middle", "1", "a", "`probe`"), *TABLE[2:]]
        self.assertEqual(self.errors(table=table), ["middle must not know probe, and reaches it"])

    def test_tables_that_lie(self):
        self.assertEqual(self.errors(table=TABLE[:2] + TABLE[3:])[0], "probe is missing in the table")
        self.assertIn("the table has gone, which is no crate, or twice", self.errors(table=[("gone", "1", "a", "-"), *TABLE]))
        table = [*TABLE[:3], ("low", "1", "a", "`gone`")]
        self.assertEqual(self.errors(table=table), ["low must not know gone, which is no crate"])

    def test_crates_for_tests(self):
        packages = {**PACKAGES, "middle": package(("probe", None))}
        self.assertEqual(self.errors(packages), ["middle depends on probe, which is for tests"])


class Licences(unittest.TestCase):
    def test_choices_and_conditions(self):
        for licence, allowed in [("MIT", True), ("GPL-3.0", False), ("GPL-3.0 OR MIT", True), ("MIT/GPL-3.0", True), ("MIT AND GPL-3.0", False),
                                 ("(GPL-3.0 OR MIT) AND Zlib", True), ("(GPL-3.0 OR LGPL-2.1) AND Zlib", False)]:
            self.assertEqual(workspace.permitted(licence, ["MIT", "Zlib"]), allowed, licence)

    def test_versions(self):
        one = {"name": "of-nobody", "version": "1.0.0", "license": "MIT"}
        self.assertEqual(list(workspace.foreign([one])), [])
        self.assertEqual(len(list(workspace.foreign([one, {**one, "version": "2.0.0"}]))), 1)


if __name__ == "__main__":
    unittest.main()
