// Package files reads the files that a world names, directly or through other files: worlds, robot models, fields,
// profiles, message definitions, models of props and their buffers. Reading always ends, and takes no more memory than
// the caller allows, whatever kind of file a name refers to. Error texts do not repeat the path: "is a FIFO: must be a
// regular file".
//
//	data, err := files.Read("derby.toml", 1<<20)
//	definitions := files.Folder("msg", 1<<20) // an fs.FS
//
// A world that contains its files, as the world of a recording does, has its own [FS], and no access to the machine's
// files.
//
// Symbolic links are followed, wherever they lead. Only the kind of the file is checked. All functions are safe for
// concurrent use.
package files
