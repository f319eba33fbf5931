//! What operators do with two numbers.

use promql_parser::parser::token::{self, TokenType};

use crate::vector::ABSENT;

/// An operator between numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Atan2,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An operator between sets of series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetOperator {
    And,
    Or,
    Unless,
}

/// Any operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnyOperator {
    Number(Operator),
    Set(SetOperator),
}

impl AnyOperator {
    /// The operator of a token.
    pub(crate) fn of(token: TokenType) -> Option<Self> {
        let number = match token.id() {
            token::T_ADD => Operator::Add,
            token::T_SUB => Operator::Sub,
            token::T_MUL => Operator::Mul,
            token::T_DIV => Operator::Div,
            token::T_MOD => Operator::Mod,
            token::T_POW => Operator::Pow,
            token::T_ATAN2 => Operator::Atan2,
            token::T_EQLC => Operator::Equal,
            token::T_NEQ => Operator::NotEqual,
            token::T_LSS => Operator::Less,
            token::T_LTE => Operator::LessOrEqual,
            token::T_GTR => Operator::Greater,
            token::T_GTE => Operator::GreaterOrEqual,
            token::T_LAND => return Some(Self::Set(SetOperator::And)),
            token::T_LOR => return Some(Self::Set(SetOperator::Or)),
            token::T_LUNLESS => return Some(Self::Set(SetOperator::Unless)),
            _ => return None,
        };
        Some(Self::Number(number))
    }
}

impl Operator {
    /// Whether it compares.
    pub(crate) fn is_comparison(self) -> bool {
        !matches!(
            self,
            Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Mod | Self::Pow | Self::Atan2
        )
    }

    /// What it makes of two numbers; of a comparison 1 or 0.
    #[inline]
    pub(crate) fn of(self, left: f64, right: f64) -> f64 {
        match self {
            Self::Add => left + right,
            Self::Sub => left - right,
            Self::Mul => left * right,
            Self::Div => left / right,
            Self::Mod => left % right,
            Self::Pow => left.powf(right),
            Self::Atan2 => left.atan2(right),
            _ => f64::from(self.holds(left, right)),
        }
    }

    /// What it makes of two numbers of which a comparison keeps one or none.
    #[inline]
    pub(crate) fn keeping(self, left: f64, right: f64, kept: f64) -> f64 {
        match self.is_comparison() {
            false => self.of(left, right),
            true if self.holds(left, right) => kept,
            true => ABSENT,
        }
    }

    #[inline]
    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
            _ => false,
        }
    }
}
