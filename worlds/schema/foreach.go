package schema

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
)

const forEach = "for_each"

// row holds the values that a for_each gives for one table. If the for_each is inside another for_each, outer is the
// row of the other one.
type row struct {
	columns []string
	values  []*value
	outer   *row
}

func (r *row) lookup(name string) *value {
	for ; r != nil; r = r.outer {
		if i := slices.Index(r.columns, name); i >= 0 {
			return r.values[i]
		}
	}
	return nil
}

func (r *row) names() (all []string) {
	for ; r != nil; r = r.outer {
		all = append(all, r.columns...)
	}
	return all
}

// String lists the values for messages, for example i = 3, x = -1.
func (r *row) String() string { return shorten(r.list(func(string) bool { return true })) }

// usedIn lists the values whose names occur in a text.
func (r *row) usedIn(text string) string {
	return r.list(func(name string) bool { return strings.Contains(text, "{"+name+"}") })
}

func (r *row) list(has func(name string) bool) string {
	if r == nil {
		return ""
	}
	list := []string{r.outer.list(has)}
	for i, name := range r.columns {
		if has(name) {
			list = append(list, name+" = "+r.values[i].source())
		}
	}
	return joinText(", ", list...)
}

// array expands the elements of an array. It repeats each element that has a for_each.
func (e *expander) array(where, key string, v *value, r *row) {
	var out []*value
	for _, elem := range v.elems {
		if e.stopped {
			return
		}
		each := elem.table[forEach]
		if each == nil {
			e.value(where, elemKey(key, len(out)), elem, r)
			out = append(out, elem)
			continue
		}
		path := joinPath(where, elemKey(key, len(out)))
		e.value(path, forEach, each, r)
		pattern := elem.without(forEach)
		for _, r := range e.rows(path, each, r) {
			made := e.clone(pattern)
			if made == nil {
				e.failTooLarge(path, forEach, each)
				return
			}
			e.value(where, elemKey(key, len(out)), made, r)
			out = append(out, made)
		}
	}
	v.elems = out
}

// rows returns the rows of a for_each. There is one row for each table that the for_each makes.
func (e *expander) rows(path string, each *value, outer *row) (rows []*row) {
	switch each.kind {
	case kindArray:
		for i, v := range each.elems {
			if v.kind != kindTable {
				e.fail(path, elemKey(forEach, i), v, "must be a table of names and values")
				continue
			}
			e.columns(joinPath(path, elemKey(forEach, i)), v)
			r := &row{columns: v.keys, outer: outer}
			for _, key := range v.keys {
				r.values = append(r.values, v.table[key])
			}
			rows = append(rows, r)
		}
	case kindTable:
		e.columns(joinPath(path, forEach), each)
		rows = e.combinations(path, each, outer)
	default:
		e.fail(path, forEach, each, "must be a table, as { i = [1, 2, 3] }, or an array of tables, as [{ n = 2, x = "+
			"-1 }, …]")
	}
	if len(each.elems)+len(each.keys) == 0 {
		e.fail(path, forEach, each, "must not be empty")
	}
	return rows
}

// maxColumns is the largest number of names in one for_each.
const maxColumns = 100

// columns checks the names in a for_each.
func (e *expander) columns(path string, table *value) {
	for i, key := range table.keys {
		if i == maxColumns {
			e.fail(path, keyText(key), table.table[key], fmt.Sprintf("is one name too many: there may be %d",
				maxColumns))
		}
		e.fail(path, keyText(key), table.table[key], rules.Rules{Match: true}.Text(key))
	}
}

// combinations returns one row for each combination of the values of the names. The value of the last name varies
// fastest.
func (e *expander) combinations(path string, each *value, outer *row) (rows []*row) {
	columns := each.keys[:min(len(each.keys), maxColumns)]
	var lists [][]*value
	n := 1
	for _, key := range columns {
		list := e.list(joinPath(path, forEach), keyText(key), each.table[key])
		if n *= len(list); n == 0 || e.made.values+n > maxMade {
			break
		}
		lists = append(lists, list)
	}
	if e.made.values+n > maxMade {
		e.failTooLarge(path, forEach, each)
		return nil
	}
	for i := range n {
		r := &row{columns: columns, values: make([]*value, len(columns)), outer: outer}
		for k := len(columns) - 1; k >= 0; k-- {
			r.values[k] = lists[k][i%len(lists[k])]
			i /= len(lists[k])
		}
		rows = append(rows, r)
	}
	return rows
}

// span is a sequence of evenly spaced values from one number to another.
type span struct {
	From  float64 `toml:"from" required:"true"`
	To    float64 `toml:"to" required:"true"`
	Count int     `toml:"count" required:"true" range:"[2, 10000]"`
}

// list returns the values that a for_each gives a name, in order.
func (e *expander) list(where, key string, v *value) []*value {
	switch v.kind {
	case kindArray:
		if len(v.elems) == 0 {
			e.fail(where, key, v, "must not be empty")
		}
		return v.elems
	case kindTable:
		var s span
		n := &Node{where: where, key: key, layers: []*value{v}, bound: &bound{index: index{}}}
		if err := n.Bind(&s); err != nil {
			e.errs.add(err)
			return nil
		}
		e.made.values += s.Count
		return s.values(v)
	}
	e.fail(where, key, v, "must be an array of values, or { from, to, count }")
	return nil
}

// values returns the values of the span. They are computed in exact arithmetic, so that 0.05 to 2.95 in 30 steps gives
// 0.05, 0.15 and so on. If both ends are integers in the file and all values between them are whole numbers, the
// results are integers.
func (s span) values(v *value) []*value {
	exact := func(x float64) *big.Rat {
		r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
		return r
	}
	from, step := exact(s.From), exact(s.To)
	step.Sub(step, from).Quo(step, big.NewRat(int64(s.Count-1), 1))
	whole := v.table["from"].kind == kindInteger && v.table["to"].kind == kindInteger && step.IsInt()
	var list []*value
	for i := range s.Count {
		at := new(big.Rat).SetInt64(int64(i))
		at.Mul(at, step).Add(at, from)
		made := &value{text: v.text, kind: kindInteger, at: v.at, str: at.RatString(), filled: true}
		if x, _ := at.Float64(); !whole {
			made.kind, made.str = kindFloat, valueText(x)
		}
		list = append(list, made)
	}
	return list
}

// without returns a copy of a table in which one key is missing.
func (v *value) without(key string) *value {
	c := *v
	c.keys, c.table = slices.DeleteFunc(slices.Clone(v.keys), func(k string) bool { return k == key }),
		maps.Clone(v.table)
	delete(c.table, key)
	return &c
}

// clone returns a copy of a value. It returns nil if the copy would exceed a limit.
func (e *expander) clone(v *value) *value {
	if e.made.values++; e.made.values > maxMade {
		return nil
	}
	c := *v
	if v.elems != nil {
		c.elems = make([]*value, len(v.elems))
	}
	for i, elem := range v.elems {
		if c.elems[i] = e.clone(elem); c.elems[i] == nil {
			return nil
		}
	}
	if v.table != nil {
		c.table = make(map[string]*value, len(v.table))
	}
	for key, child := range v.table {
		if c.table[key] = e.clone(child); c.table[key] == nil {
			return nil
		}
	}
	return &c
}
