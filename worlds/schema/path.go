package schema

import (
	"fmt"
	"strconv"
)

// joinPath returns the path a followed by the path b.
func joinPath(a, b string) string {
	if a == "" || b == "" || b[0] == '[' {
		return a + b
	}
	return a + "." + b
}

// KeyText returns a key in the form in which the Path and Key of a [Violation] have it.
func KeyText(key string) string { return keyText(key) }

// keyText returns a key in the form in which a path has it. The key is bare if TOML allows that. Otherwise it is quoted
// and shortened.
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

// parentPath returns a path without its last key or index.
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
