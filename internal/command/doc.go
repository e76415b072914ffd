// Package command reads shell text and says which commands it would run.
//
// Read parses a text in the dialects of the shell that is to run it and walks the
// whole tree: lists, pipelines, substitutions wherever they stand, functions,
// here-documents, and the commands that other commands are given to run, as shell
// text (sh -c, eval, trap and the like) or as arguments (env, sudo, xargs, find
// -exec and the like, one row each in wrappers.go). What it finds are Invocations.
// Other programs run something only if an option, a variable or a text in a language of
// their own says so, as git -c core.pager=…, PAGER=… or a script of awk do, or write a file
// by those; they have a row each in programtable.go, and what they write is in Writes.
// It runs nothing and looks at no file.
//
// An Invocation is one of three things: known, when its words are what the shell
// would pass; Dynamic, when what runs is decided only while it runs; or Possible,
// when it runs if something unknown turns out in one way. A text that cannot be
// read as the shell would read it is a *Fault.
//
// For the shells of Windows, ReadWindows finds the same in the texts of cmd.exe and of
// PowerShell, loosely: it looks for commands wherever they may stand, and what it does not
// understand is Dynamic.
//
// What is not claimed:
//
//   - What a program does is not seen. An interpreter, a build tool, a script in a
//     file runs what it likes.
//   - Programs that start others and have no row in a table are not known as such. Of those
//     in programtable.go, an option that is not known there is taken for one that runs nothing.
//   - What programs are configured to run in files is not seen.
//   - A variable nobody assigns in the text is taken to come from the environment of
//     the host, which is trusted not to hold array subscripts for bash to evaluate. What the
//     shell itself sets is not.
//   - A script that a shell reads from its standard input is taken for known when it has one line,
//     or holds only commands that do not read lines of it.
//   - Startup files of nested shells, and functions and aliases they define, are not seen.
package command
