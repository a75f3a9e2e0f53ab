package zenoh

import (
	"fmt"
	"strings"
)

// maxKey is the length of the longest key expression, in bytes. It is a guess: the names of ROS 2 have up to 255 bytes,
// and a key has up to five of them.
const maxKey = 4096

// checkKey returns an error unless key is a key expression: parts that are not empty, separated by slashes. The part *
// is any part, ** is any number of parts, and $* is any characters of a part.
func checkKey(key string) error {
	if key == "" || len(key) > maxKey {
		return fmt.Errorf("key has %d bytes: must have 1 to %d", len(key), maxKey)
	}
	for part := range strings.SplitSeq(key, "/") {
		rest := strings.ReplaceAll(part, "$*", "")
		wild := part == "*" || part == "**"
		if part == "" || strings.ContainsAny(rest, "#?$\x00") || !wild && strings.Contains(rest, "*") {
			return fmt.Errorf("key %q: part %q is not allowed", key, part)
		}
	}
	return nil
}

// overlap reports whether there is a key that both key expressions match.
func overlap(a, b string) bool {
	if !strings.ContainsRune(a, '*') && !strings.ContainsRune(b, '*') {
		return a == b
	}
	return sequences(strings.Split(a, "/"), strings.Split(b, "/"), "**", partsOverlap,
		func(part string) bool { return part[:min(1, len(part))] != "@" })
}

func partsOverlap(a, b string) bool {
	switch {
	case a == b:
		return true
	case a == "*":
		return !strings.HasPrefix(b, "@")
	case b == "*":
		return !strings.HasPrefix(a, "@")
	case !strings.Contains(a, "$*") && !strings.Contains(b, "$*") || a == "**" || b == "**":
		return false
	}
	const many = 0 // not in a key
	bytes := func(s string) []byte { return []byte(strings.ReplaceAll(s, "$*", string(rune(many)))) }
	return sequences(bytes(a), bytes(b), many, func(a, b byte) bool { return a == b }, func(byte) bool { return true })
}

// sequences reports whether two sequences can be equal, where many is any number of elements that are visible. It
// takes time proportional to the product of their lengths.
func sequences[T comparable](a, b []T, many T, equal func(a, b T) bool, visible func(T) bool) bool {
	// row[j] reports whether the elements of a so far and the first j of b can be equal.
	row, next := make([]bool, len(b)+1), make([]bool, len(b)+1)
	for i := 0; i <= len(a); i++ {
		for j := 0; j <= len(b); j++ {
			ok := i == 0 && j == 0
			if i > 0 { // a's element is nothing, or what b's many is
				ok = ok || row[j] && (a[i-1] == many || j > 0 && b[j-1] == many && visible(a[i-1]))
			}
			if j > 0 {
				ok = ok || next[j-1] && (b[j-1] == many || i > 0 && a[i-1] == many && visible(b[j-1]))
			}
			if i > 0 && j > 0 {
				ok = ok || row[j-1] && a[i-1] != many && b[j-1] != many && equal(a[i-1], b[j-1])
			}
			next[j] = ok
		}
		row, next = next, row
	}
	return row[len(b)]
}
