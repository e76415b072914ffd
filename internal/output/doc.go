// Package output turns the bytes a command prints into text that is safe to
// show: bounded in memory, valid UTF-8 whatever was printed, and cut to a
// number of characters with a marker that says so.
//
// Nothing in this package knows about processes, and nothing in it grows with
// the size of the output.
package output
