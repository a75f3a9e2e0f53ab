// Package files reads the files that a world may name, directly or by what it names: worlds, robot models, fields,
// profiles, definitions of messages, models of props and their buffers. Whatever such a name leads to, reading it ends
// and takes no more memory than its caller allows. Errors are rules alone, as in "is a FIFO: must be a regular file".
//
//	data, err := files.Read("derby.toml", 1<<20)
//	definitions := files.Folder("msg", 1<<20) // an fs.FS
//
// A world that came with its files, as that of a recording does, has an [FS] of its own, and names none of the
// machine's.
//
// Links are followed: where a file lies is its owner's business, what it is is checked. All functions may be called
// from any goroutine.
package files
