"""How a kernel is compiled that only other kernels call.

Numba compiles every function in full, optimises it and translates it into machine code, also one that is only needed
inside of another. There it is optimised and translated again, with its caller, and so on: the time grows with the depth
of the calls. Here a kernel of that kind stops before: it is typed and lowered, and its caller does the rest.

This module uses private names of numba's. It cannot be imported with a version that lacks one.
"""

from numba import _dynfunc
from numba.core import codegen, compiler, cpu, options

_USED = {
    _dynfunc: ("make_function",),
    codegen.JITCodeLibrary: ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals"),
    compiler.Flags: ("no_compile",),
    compiler.Compiler: ("_compile_core",),
    cpu.CPUContext: ("insert_user_function",),
    options.DefaultOptions: ("no_cpython_wrapper",),
}
if missing := [name for owner, names in _USED.items() for name in names if not hasattr(owner, name)]:
    raise ImportError(f"this version of numba has no {', '.join(missing)}")


class _Library(codegen.JITCodeLibrary):
    """Code that is linked into that of its callers, and never run from here."""

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True


class InnerCompiler(compiler.Compiler):
    """Compiles as far as callers need it."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)
        self.state.flags.no_compile = True
        self.state.library = _Library(self.state.targetctx.codegen(), "inner kernel")
        self.state.library.enable_object_caching()

    def _compile_core(self):
        result = super()._compile_core()
        about = result.fndesc
        # Numba wants a function by which callers find the code. Nobody calls it.
        place = about.lookup_module(), about.qualname, "", 0, result.environment, (result.library,)
        found_by = _dynfunc.make_function(*place)
        self.state.targetctx.insert_user_function(found_by, about, [result.library])
        return result._replace(entry_point=found_by)
