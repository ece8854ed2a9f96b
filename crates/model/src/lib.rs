//! The meaning of JANI models and neural policies, with a reference interpreter.
