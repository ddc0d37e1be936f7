// Nothing: the target that this belongs to holds the precompiled headers of the tests.
