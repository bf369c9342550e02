//! Puts checked operations in the place of those that could take memory without bound or round numbers.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Pattern, Term};
use jaq_core::ops::{Cmp, Math};
use jaq_core::path::Part;

/// A variable that no expression can write.
const RIGHT: &str = "$!right";

/// Rewrites a definition.
pub fn definition(def: &mut Def<&str>) {
    term(&mut def.body);
}

/// Rewrites a term and all below it.
pub fn term(whole: &mut Term<&str>) {
    match whole {
        Term::Id
        | Term::Recurse
        | Term::Num(_)
        | Term::Break(_)
        | Term::Var(_)
        | Term::Arr(None) => {}
        Term::Str(_, parts) => {
            for part in parts {
                if let StrPart::Term(inner) = part {
                    term(inner);
                    wrap(inner, "!short");
                }
            }
        }
        Term::Arr(Some(inner)) => {
            term(inner);
            wrap(inner, "!counted");
        }
        Term::Obj(entries) => {
            for (key, value) in entries {
                // A name alone stands for the field of that name.
                if value.is_some() || !matches!(key, Term::Str(..)) {
                    term(key);
                }
                value.iter_mut().for_each(term);
            }
        }
        Term::Neg(inner) | Term::Label(_, inner) => term(inner),
        Term::BinOp(..) => operation(whole),
        Term::Fold(_, over, bound, inner) => {
            term(over);
            pattern(bound);
            for term in inner {
                self::term(term);
            }
        }
        Term::TryCatch(tried, caught) => {
            term(tried);
            if let Some(caught) = caught {
                term(caught);
            }
        }
        Term::IfThenElse(branches, otherwise) => {
            for (condition, then) in branches {
                term(condition);
                term(then);
            }
            if let Some(otherwise) = otherwise {
                term(otherwise);
            }
        }
        Term::Def(definitions, inner) => {
            definitions.iter_mut().for_each(definition);
            term(inner);
        }
        Term::Call(_, arguments) => arguments.iter_mut().for_each(term),
        Term::Path(inner, path) => {
            term(inner);
            for (part, _) in &mut path.0 {
                match part {
                    Part::Index(index) => term(index),
                    Part::Range(from, to) => {
                        from.iter_mut().for_each(term);
                        to.iter_mut().for_each(term);
                    }
                }
            }
        }
    }
}

fn pattern(bound: &mut Pattern<&str>) {
    match bound {
        Pattern::Var(_) => {}
        Pattern::Arr(inner) => inner.iter_mut().for_each(pattern),
        Pattern::Obj(entries) => {
            for (key, inner) in entries {
                term(key);
                pattern(inner);
            }
        }
    }
}

fn wrap(inner: &mut Term<&str>, name: &'static str) {
    let taken = std::mem::take(inner);
    *inner = Term::Call(name, vec![taken]);
}

fn operation(whole: &mut Term<&str>) {
    let Term::BinOp(left, operator, right) = std::mem::take(whole) else {
        return;
    };
    let (mut left, mut operator, mut right) = (left, operator, right);
    term(&mut left);
    term(&mut right);
    if let BinaryOp::Pipe(Some(bound)) = &mut operator {
        pattern(bound);
    }
    *whole = match operator {
        BinaryOp::Math(operator) => match checked(operator) {
            Some(name) => Term::Call(name, vec![*left, *right]),
            None => Term::BinOp(left, BinaryOp::Math(operator), right),
        },
        BinaryOp::Cmp(operator) => Term::Call(comparison(operator), vec![*left, *right]),
        // The right side is seen from where the whole stands, so it is bound first.
        BinaryOp::UpdateMath(operator) => match checked(operator) {
            Some(name) => {
                let result = Term::Call(name, vec![Term::Id, Term::Var(RIGHT)]);
                let update = Term::BinOp(left, BinaryOp::Update, Box::new(result));
                let bind = BinaryOp::Pipe(Some(Pattern::Var(RIGHT)));
                Term::BinOp(right, bind, Box::new(update))
            }
            None => Term::BinOp(left, BinaryOp::UpdateMath(operator), right),
        },
        operator => Term::BinOp(left, operator, right),
    };
}

fn checked(operator: Math) -> Option<&'static str> {
    match operator {
        Math::Add => Some("!add"),
        Math::Mul => Some("!times"),
        Math::Sub | Math::Div | Math::Rem => None,
    }
}

fn comparison(operator: Cmp) -> &'static str {
    match operator {
        Cmp::Lt => "!lt",
        Cmp::Le => "!le",
        Cmp::Gt => "!gt",
        Cmp::Ge => "!ge",
        Cmp::Eq => "!eq",
        Cmp::Ne => "!ne",
    }
}
