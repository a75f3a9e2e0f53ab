package mapping

import (
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/quantity"
)

// jsonText compiles { json = "package/Type", message = { … } }: the text is a message of this type as JSON.
func (c compiler) jsonText(table map[string]any, key string) writer {
	name, _ := table["json"].(string)
	values, ok := table["message"].(map[string]any)
	if !ok || name == "" || len(table) != 2 || c.find == nil {
		c.fail(key, nil, `must be { json = "package/Type", message = { … } }, in an entry of publish`)
		return nothing
	}
	def, err := c.find(name)
	if err == nil {
		err = fits(def)
	}
	if err != nil {
		c.below(key).fail("json", name, "%v", err)
		return nothing
	}
	codec, err := dynamic.Compile(def)
	if err != nil {
		c.below(key).fail("json", name, "%v", err)
		return nothing
	}
	in := c.below(key + ".message")
	parts, _ := in.message(def, values, false)
	fill := sequence(parts)
	return c.filledText(func(b []byte, ctx *quantity.Context) []byte {
		var message []byte
		if c.cdr {
			message = append(message, cdrStart...)
		}
		text, err := codec.AppendJSON(b, fill(message, ctx))
		if err != nil {
			return b
		}
		return text
	})
}
