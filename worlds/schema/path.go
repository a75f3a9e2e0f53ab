package schema

import (
	"fmt"
	"strconv"
)

// joinPath appends path b to path a.
func joinPath(a, b string) string {
	if a == "" || b == "" || b[0] == '[' {
		return a + b
	}
	return a + "." + b
}

// KeyText returns a key as in the Path and Key of a [Violation].
func KeyText(key string) string { return keyText(key) }

// keyText returns a key as a path shows it: bare if TOML allows it, otherwise quoted and shortened.
func keyText(key string) string {
	bare := key != "" && len(key) <= 60
	for i := 0; bare && i < len(key); i++ {
		c := key[i]
		bare = isLetter(c) || isDigit(c) || c == '_' || c == '-'
	}
	if bare {
		return key
	}
	return shorten(strconv.Quote(key))
}

func elemKey(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// parentPath drops the last key or index of a path.
func parentPath(path string) string {
	cut, quoted := 0, false
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '.' || c == '['):
			cut = i
		}
	}
	return path[:cut]
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
