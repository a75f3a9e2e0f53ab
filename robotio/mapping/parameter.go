package mapping

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Parameter is a ROS parameter that a profile sets. Its value is a constant, a text with quantities in braces, the
// number of a quantity, or a list of texts.
type Parameter struct {
	Name   string
	value  any
	text   writer                      // of the parameter, or of each member of the list
	length func(*quantity.Context) int // of the list; nil for a parameter that is no list
	plain  string                      // the text with braces
	number func(*quantity.Context) float64
}

// Value returns the value of a parameter in a world. A number is an int if it is whole, else a float64, like 22 and
// 22.5 in a YAML file.
func (p *Parameter) Value(c *quantity.Context) any {
	switch {
	case p.length != nil:
		list := make([]any, p.length(c))
		for i := range list {
			c.Member = i
			list[i] = string(p.text(nil, c))
		}
		return list
	case p.text != nil:
		return string(p.text(nil, c))
	case p.number == nil:
		return p.value
	}
	x := p.number(c)
	if x == math.Trunc(x) && math.Abs(x) <= math.MaxInt32 {
		return int(x)
	}
	return x
}

// Constant returns the value of a parameter if the value is the same in all worlds. Otherwise it returns false.
func (p *Parameter) Constant() (any, bool) {
	if p.number != nil || p.length != nil {
		return nil, false
	}
	if p.text == nil {
		return p.value, true
	}
	if strings.Contains(p.plain, "{") {
		return nil, false
	}
	return p.plain, true
}

// Quantity returns the name of the quantity if the value consists of one quantity alone, such as "{cyan.prefix}".
// Otherwise it returns "".
func (p *Parameter) Quantity() string {
	inside, begins := strings.CutPrefix(p.plain, "{")
	if name, ends := strings.CutSuffix(inside, "}"); begins && ends && !strings.ContainsAny(name, "{}") {
		return name
	}
	return ""
}

// parameterNumber is a value { number = "quantity" }, in the units of the profile that contains it.
type parameterNumber struct {
	quantity string
	units    units
	err      error
}

// numberOf parses { number = "quantity", length = "m" }. It returns false for a table without the key number, which is
// a namespace of parameters.
func (p *Profile) numberOf(v any) (n parameterNumber, ok bool) {
	table, _ := v.(map[string]any)
	if n.quantity, ok = table["number"].(string); !ok {
		return n, false
	}
	unit := p.Length
	for key, value := range table {
		text, _ := value.(string)
		if perMetre[text] != 0 && key == "length" {
			unit = text
		} else if key != "number" {
			n.err = errors.New(
				`must be { number = "quantity" }, with length = "m", "cm" or "mm" if it is in other units than the profile's`)
		}
	}
	n.units = unitsOf(unit, p.Angle)
	return n, true
}

// parameterList is a value { each = "list", text = "{quantity}" }: a list of texts.
type parameterList struct{ each, text string }

// listOf parses a parameterList. It returns false for any other table, which is a namespace of parameters.
func listOf(v any) (l parameterList, ok bool) {
	table, _ := v.(map[string]any)
	l.each, ok = table["each"].(string)
	text, isText := table["text"].(string)
	l.text = text
	return l, ok && isText && len(table) == 2
}

// parameters compiles a profile's parameters. It returns an error for a value that ROS cannot store. Parameters are set
// only once, so their values can use only quantities that are fixed by the world file.
func parameters(p *Profile) (all []Parameter, err error) {
	known := quantity.OfFile()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(p.Params)) {
		one := Parameter{Name: name}
		fail := func(value any, err error) { errs = append(errs, broken("params", schema.KeyText(name), value, err)) }
		if err := graph.Check(name); err != nil {
			fail(nil, err)
		}
		switch value := p.Params[name].(type) {
		case parameterNumber:
			q, ok := known.Numbers[value.quantity]
			if value.err != nil {
				fail(nil, value.err)
			} else if !ok {
				fail(nil, fmt.Errorf("number = %q: is no number here; %s", value.quantity,
					thereAre(names(known.Numbers))))
			}
			scale := value.units.scale(q.Dim)
			one.number = func(c *quantity.Context) float64 { return q.Get(c) * scale }
		case string:
			var err error
			one.plain = value
			if one.text, err = newPattern(value, known.Texts); err != nil {
				fail(value, err)
			} else if err := graph.CheckParam(value); err != nil {
				fail(nil, fmt.Errorf("is no parameter of ROS 1: %w", err))
			}
		case parameterList:
			list, ok := known.Lists[value.each]
			if !ok {
				fail(nil, fmt.Errorf("each = %q: is no list here; %s", value.each, thereAre(names(known.Lists))))
				break
			}
			var err error
			one.length = list.Len
			if one.text, err = newPattern(value.text, list.Members.Texts); err != nil {
				fail(nil, err)
			}
		default:
			one.value = wireValue(value)
			if err := graph.CheckParam(one.value); err != nil {
				fail(nil, fmt.Errorf("is no parameter of ROS 1: %w", err))
			}
		}
		all = append(all, one)
	}
	return all, errors.Join(errs...)
}

// wireValue converts a value of a profile's file to a type that ROS parameters can have.
func wireValue(v any) any {
	switch v := v.(type) {
	case int64:
		return int(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = wireValue(v[i])
		}
		return list
	case map[string]any:
		table := make(map[string]any, len(v))
		for key, member := range v {
			table[key] = wireValue(member)
		}
		return table
	}
	return v
}
