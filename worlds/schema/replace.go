package schema

import (
	"bytes"
	"maps"
	"slices"
)

// Replace returns the file's text in which the values of some keys are replaced. values holds the new values as TOML,
// by their keys. The keys must be in the file's top table, with their values on the same line.
func (f *File) Replace(values map[string]string) []byte {
	keys := slices.SortedFunc(maps.Keys(values),
		func(a, b string) int { return int(f.root.table[a].start - f.root.table[b].start) })
	var text bytes.Buffer
	end := int32(0)
	for _, key := range keys {
		v := f.root.table[key]
		text.Write(f.data[end:v.start])
		text.WriteString(values[key])
		end = v.end
	}
	text.Write(f.data[end:])
	return text.Bytes()
}
