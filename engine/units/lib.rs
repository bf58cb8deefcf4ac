//! Empty: a package needs a library. The tests of this package are the unit tests in `../src`.
