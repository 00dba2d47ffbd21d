use crate::error::Violations;

/// The value of an enum field, or its default, with a violation, for a number that names none.
pub(super) fn enumeration<E: TryFrom<i32> + Default>(
    number: i32,
    field: impl Into<String>,
    violations: &mut Violations,
) -> E {
    E::try_from(number).unwrap_or_else(|_| {
        violations.add(
            field,
            &number.to_string(),
            "no value of the enumeration has this number",
        );
        E::default()
    })
}
