//! What each name means: a local variable, one of a function around, a global, something built in.
//!
//! Uses inside a function are decided when the function has been seen whole, for an assignment further down makes a
//! name local; uses of names of functions around are decided at the end of the file.

mod walk;

use super::ast::{Binding, File, FunctionDef, Ident, Local, Pos};
use super::error::SyntaxError;
use super::format;
use crate::hash;
use crate::order;
use std::rc::Rc;

/// How many arguments of a kind one call may have.
const MOST_ARGUMENTS: usize = 255;

/// Decides all names of a file. `universe` are the names that every program sees.
///
/// # Errors
/// All faults, in the order in which they are found.
pub(super) fn resolve(
    file: &File,
    builders: &[&str],
    universe: &[&str],
) -> Result<(), Vec<SyntaxError>> {
    let mut resolver = Resolver {
        builders,
        universe: universe
            .iter()
            .zip(0..)
            .map(|(name, index)| (*name, index))
            .collect(),
        variables: Vec::new(),
        blocks: vec![Block::default()],
        env: FILE,
        globals: Vec::new(),
        global_names: hash::Map::default(),
        given: hash::Map::default(),
        loops: 0,
        resolved: Vec::new(),
        errors: Vec::new(),
    };
    resolver.body(&file.body);
    resolver.decide_local_uses(FILE);
    resolver.decide_other_uses(FILE);
    resolver.finish(file)
}

/// The block of the file itself.
const FILE: usize = 0;

/// Index into `Resolver::variables`.
type Id = usize;

#[derive(Clone, Copy)]
enum Scope {
    Local,
    Cell,
    Free,
    Global,
    Universal,
    Builder,
    /// Of no meaning; told once.
    Undefined,
}

struct Variable {
    name: Rc<str>,
    scope: Scope,
    index: usize,
}

/// A function, a comprehension, or the file.
#[derive(Default)]
struct Block<'a> {
    parent: Option<usize>,
    function: Option<&'a FunctionDef>,
    bindings: hash::Map<Rc<str>, Id>,
    children: Vec<usize>,
    /// Uses that are not decided yet, each with the block where it stands; for functions and the file.
    uses: Vec<(&'a Ident, usize)>,
    /// Variables by slot; for functions and the file.
    locals: Vec<Id>,
    /// Variables of functions around; for functions.
    captures: Vec<Id>,
}

struct Resolver<'a> {
    builders: &'a [&'a str],
    universe: hash::Map<&'a str, u16>,
    variables: Vec<Variable>,
    blocks: Vec<Block<'a>>,
    env: usize,
    globals: Vec<Id>,
    global_names: hash::Map<Rc<str>, Id>,
    /// Names that the file does not bind itself: built in, or of the builder.
    given: hash::Map<Rc<str>, Id>,
    loops: usize,
    resolved: Vec<(&'a Ident, Id)>,
    errors: Vec<SyntaxError>,
}

impl<'a> Resolver<'a> {
    fn fail(&mut self, pos: Pos, message: impl Into<String>) {
        self.errors.push(SyntaxError {
            pos,
            message: message.into(),
        });
    }

    /// The function around a block, or the file.
    fn container(&self, mut block: usize) -> usize {
        while let Some(Block {
            function: None,
            parent: Some(parent),
            ..
        }) = self.blocks.get(block)
        {
            block = *parent;
        }
        block
    }

    fn in_function(&self) -> bool {
        self.container(self.env) != FILE
    }

    fn block(&mut self, index: usize) -> Option<&mut Block<'a>> {
        self.blocks.get_mut(index)
    }

    fn lookup(&self, block: usize, name: &str) -> Option<Id> {
        self.blocks
            .get(block)
            .and_then(|block| block.bindings.get(name))
            .copied()
    }

    fn push(&mut self, function: Option<&'a FunctionDef>) -> usize {
        let index = self.blocks.len();
        self.blocks.push(Block {
            parent: Some(self.env),
            function,
            ..Block::default()
        });
        let env = self.env;
        if let Some(block) = self.block(env) {
            block.children.push(index);
        }
        self.env = index;
        index
    }

    fn pop(&mut self) {
        if let Some(parent) = self.blocks.get(self.env).and_then(|block| block.parent) {
            self.env = parent;
        }
    }

    fn variable(&mut self, name: &Rc<str>, scope: Scope, index: usize) -> Id {
        self.variables.push(Variable {
            name: name.clone(),
            scope,
            index,
        });
        self.variables.len() - 1
    }

    /// Makes a name a variable of the block; true if it was one already.
    fn bind(&mut self, ident: &'a Ident) -> bool {
        if self.env != FILE {
            return self.bind_local(ident);
        }
        let known = self
            .lookup(FILE, &ident.name)
            .or_else(|| self.global_names.get(&ident.name).copied());
        let id = known.unwrap_or_else(|| {
            let id = self.variable(&ident.name, Scope::Global, self.globals.len());
            self.global_names.insert(ident.name.clone(), id);
            self.globals.push(id);
            id
        });
        self.resolved.push((ident, id));
        known.is_some()
    }

    fn bind_local(&mut self, ident: &'a Ident) -> bool {
        let known = self.lookup(self.env, &ident.name).is_some();
        if !known {
            let container = self.container(self.env);
            let slot = self
                .blocks
                .get(container)
                .map_or(0, |block| block.locals.len());
            let id = self.variable(&ident.name, Scope::Local, slot);
            if let Some(block) = self.block(container) {
                block.locals.push(id);
            }
            let env = self.env;
            if let Some(block) = self.block(env) {
                block.bindings.insert(ident.name.clone(), id);
            }
        }
        self.use_name(ident);
        known
    }

    fn use_name(&mut self, ident: &'a Ident) {
        if self.env == FILE {
            let id = self.look_at_top(ident, FILE);
            self.resolved.push((ident, id));
            return;
        }
        let (env, container) = (self.env, self.container(self.env));
        if let Some(block) = self.block(container) {
            block.uses.push((ident, env));
        }
    }

    /// What a name means that no function around answers: a global, or something built in.
    fn look_at_top(&mut self, ident: &'a Ident, env: usize) -> Id {
        let known = self
            .lookup(FILE, &ident.name)
            .or_else(|| self.global_names.get(&ident.name).copied())
            .or_else(|| self.given.get(&ident.name).copied());
        if let Some(id) = known {
            return id;
        }
        let builder = self.builders.iter().position(|name| **name == *ident.name);
        let (scope, index) = if let Some(index) = builder {
            (Scope::Builder, index)
        } else if let Some(index) = self.universe.get(&*ident.name) {
            (Scope::Universal, usize::from(*index))
        } else {
            let hint = match self.near(&ident.name, env) {
                Some(name) => format!(" (did you mean {name}?)"),
                None => String::new(),
            };
            self.fail(ident.pos, format!("undefined: {}{hint}", ident.name));
            return self.variable(&ident.name, Scope::Undefined, 0);
        };
        let id = self.variable(&ident.name, scope, index);
        self.given.insert(ident.name.clone(), id);
        id
    }

    /// A known name that is much like this one: of those around, also built-in ones that were used there before.
    fn near(&self, name: &str, env: usize) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        let mut block = self.blocks.get(env);
        while let Some(Block {
            bindings, parent, ..
        }) = block
        {
            let shown = bindings.iter().filter(|(_, id)| {
                let scope = self.variables.get(**id).map(|variable| variable.scope);
                !matches!(scope, Some(Scope::Builder))
            });
            names.extend(shown.map(|(name, _)| &**name));
            block = parent.and_then(|parent| self.blocks.get(parent));
        }
        names.extend(self.global_names.keys().map(|name| &**name));
        order::sort(&mut names);
        format::nearest(name, names.into_iter()).map(Into::into)
    }

    /// Decides the uses of a function's own variables.
    fn decide_local_uses(&mut self, container: usize) {
        let uses = self
            .block(container)
            .map(|block| std::mem::take(&mut block.uses))
            .unwrap_or_default();
        let mut left = Vec::new();
        for (ident, env) in uses {
            let mut at = env;
            let found = loop {
                match self.lookup(at, &ident.name) {
                    Some(id) => break Some(id),
                    None if at == container => break None,
                    None => match self.blocks.get(at).and_then(|block| block.parent) {
                        Some(parent) => at = parent,
                        None => break None,
                    },
                }
            };
            match found {
                Some(id) => self.resolved.push((ident, id)),
                None => left.push((ident, env)),
            }
        }
        if let Some(block) = self.block(container) {
            block.uses = left;
        }
    }

    /// Decides the uses of names of functions around, inner functions first.
    fn decide_other_uses(&mut self, index: usize) {
        let children = self
            .blocks
            .get(index)
            .map(|block| block.children.clone())
            .unwrap_or_default();
        for child in children {
            self.decide_other_uses(child);
        }
        let uses = self
            .block(index)
            .map(|block| std::mem::take(&mut block.uses))
            .unwrap_or_default();
        for (ident, env) in uses {
            let id = self.look_outwards(ident, env);
            self.resolved.push((ident, id));
        }
    }

    /// Finds a name in the blocks around, and lets each function between capture it. All blocks between remember
    /// the answer, so that a name that means nothing is told once for each of them.
    fn look_outwards(&mut self, ident: &'a Ident, env: usize) -> Id {
        let mut way = Vec::new();
        let mut at = env;
        let mut id = loop {
            if at == FILE {
                break self.look_at_top(ident, env);
            }
            if let Some(id) = self.lookup(at, &ident.name) {
                break id;
            }
            way.push(at);
            at = self
                .blocks
                .get(at)
                .and_then(|block| block.parent)
                .unwrap_or(FILE);
        };
        for block in way.into_iter().rev() {
            let is_function = self
                .blocks
                .get(block)
                .is_some_and(|block| block.function.is_some());
            let scope = self.variables.get(id).map(|variable| variable.scope);
            if is_function && matches!(scope, Some(Scope::Local | Scope::Cell | Scope::Free)) {
                if let Some(variable) = self.variables.get_mut(id)
                    && matches!(variable.scope, Scope::Local)
                {
                    variable.scope = Scope::Cell;
                }
                let outer = id;
                let index = self
                    .blocks
                    .get(block)
                    .map_or(0, |block| block.captures.len());
                id = self.variable(&ident.name, Scope::Free, index);
                if let Some(block) = self.block(block) {
                    block.captures.push(outer);
                }
            }
            if let Some(block) = self.block(block) {
                block.bindings.insert(ident.name.clone(), id);
            }
        }
        id
    }

    fn binding(&self, id: Id) -> Binding {
        let Some(variable) = self.variables.get(id) else {
            return Binding::Undefined;
        };
        let index = variable.index as u16;
        match variable.scope {
            Scope::Local => Binding::Local(index),
            Scope::Cell => Binding::Cell(index),
            Scope::Free => Binding::Free(index),
            Scope::Global => Binding::Global(index),
            Scope::Universal => Binding::Universal(index),
            Scope::Builder => Binding::Builder(index),
            Scope::Undefined => Binding::Undefined,
        }
    }

    fn names(&self, ids: &[Id]) -> Vec<Local> {
        let local = |id: &Id| {
            let variable = self.variables.get(*id)?;
            Some(Local {
                name: variable.name.clone(),
                is_cell: matches!(variable.scope, Scope::Cell),
            })
        };
        ids.iter().filter_map(local).collect()
    }

    /// Writes what was found into the tree.
    fn finish(mut self, file: &File) -> Result<(), Vec<SyntaxError>> {
        let most = usize::from(u16::MAX);
        let large = |block: &Block<'_>| block.locals.len() > most || block.captures.len() > most;
        if self.globals.len() > most || self.blocks.iter().any(large) {
            self.fail(
                Pos { line: 1, column: 1 },
                format!("more than {most} variables"),
            );
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        for (ident, id) in &self.resolved {
            ident.binding.set(self.binding(*id));
        }
        for block in &self.blocks {
            if let Some(function) = block.function {
                function.locals.replace(self.names(&block.locals));
                let capture =
                    |id: &Id| Some((self.variables.get(*id)?.name.clone(), self.binding(*id)));
                function
                    .captures
                    .replace(block.captures.iter().filter_map(capture).collect());
            }
        }
        if let Some(top) = self.blocks.get(FILE) {
            file.locals.replace(self.names(&top.locals));
        }
        let names = self.names(&self.globals);
        file.globals
            .replace(names.into_iter().map(|local| local.name).collect());
        Ok(())
    }
}
