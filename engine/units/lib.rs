//! Nothing. A package has a library; the tests of this one are those of `../src`.
