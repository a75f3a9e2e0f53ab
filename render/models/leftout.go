package models

import (
	"fmt"
	"slices"
	"strings"
)

// leftOut collects what a file has that is not shown.
type leftOut struct {
	kinds []string // in the order of their discovery
	items map[string][]string
}

// leave notes an object of a kind that is left out.
func (l *leftOut) leave(kind, item string) {
	if l.items == nil {
		l.items = map[string][]string{}
	}
	items, ok := l.items[kind]
	if !ok {
		l.kinds = append(l.kinds, kind)
	}
	if !slices.Contains(items, item) && len(items) <= mostNamed {
		l.items[kind] = append(items, item)
	}
}

// note notes objects of a kind without names.
func (l *leftOut) note(kind string, count int) {
	if count > 0 {
		l.leave(kind, fmt.Sprint(count))
	}
}

// mostNamed is the largest number of objects of a kind that a text names.
const mostNamed = 3

// texts returns a text for each kind, such as "normal textures (material 0, material 1)".
func (l *leftOut) texts() (all []string) {
	for _, kind := range l.kinds {
		items := l.items[kind]
		if len(items) > mostNamed {
			items = append(slices.Clone(items[:mostNamed]), "…")
		}
		all = append(all, fmt.Sprintf("%s (%s)", kind, strings.Join(items, ", ")))
	}
	return all
}

// instead returns the part of an error that says what a file without triangles has.
func (l *leftOut) instead() string {
	if len(l.kinds) == 0 {
		return ""
	}
	return ": leaves out " + strings.Join(l.texts(), ", ")
}
