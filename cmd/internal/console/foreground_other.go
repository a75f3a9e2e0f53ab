//go:build !unix

package console

import "os"

func foreground(*os.File) bool { return true }
