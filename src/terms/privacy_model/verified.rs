//! What a verification says in the place of a model, of what is asked for by other arguments and by no model.

/// No model, of a name that is of something, and how that is asked for. What it uses is imported where it is used.
macro_rules! no_model {
    ($type:ty, $name:literal, $of:literal, $asked:literal) => {
        impl Strictness for $type {
            fn is_as_strict_as(&self, other: &Self) -> bool {
                self == other
            }
        }

        impl Model for $type {
            fn attributes(&self) -> &[String] {
                std::slice::from_ref(&self.column)
            }
            fn grouping(&self) -> &'static str {
                "column"
            }
            fn check(&self) -> Result<()> {
                Ok(())
            }
            fn is_asked_for(&self) -> Result<()> {
                let no_model =
                    concat!("\"", $name, "\" is no privacy model: release_verify says so of ", $of);
                Err(SqlError::parameter(no_model).hint($asked))
            }
            fn required(&self) -> f64 {
                0.0
            }
            fn direction(&self) -> Direction {
                Direction::Rising
            }
            fn engine(&self, _columns: Columns) -> Result<PrivacyModel> {
                self.is_asked_for()?;
                Err(SqlError::internal(concat!($name, " in a search")))
            }
            fn measure(&self, groups: &Groups) -> String {
                format!("SELECT c.n, 0::float8 AS measure FROM ({}) c", groups.counts())
            }
            fn condition(&self, measure: &str) -> String {
                format!("{measure} <= 0")
            }
        }
    };
}
