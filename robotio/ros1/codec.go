package ros1

import (
	"encoding/binary"
	"reflect"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

var le = binary.LittleEndian

// planKey identifies a compiled codec by a definition and a Go type.
type planKey struct {
	name string
	typ  reflect.Type
}

// messageCodec returns the codec that converts between T and a message type of the node's library.
func messageCodec[T any](n *Node, typ string) (*msg.Codec[T], error) {
	if c, ok := n.plans.Load(planKey{typ, reflect.TypeFor[T]()}); ok {
		return c.(*msg.Codec[T]), nil
	}
	def, err := n.types.Message(typ)
	if err != nil {
		return nil, err
	}
	return compileFor[T](n, def)
}

func compileFor[T any](n *Node, def *msg.Definition) (*msg.Codec[T], error) {
	c, err := msg.Compile[T](def)
	if err == nil {
		n.plans.Store(planKey{def.Name, reflect.TypeFor[T]()}, c)
	}
	return c, err
}

// serviceCodec returns the codecs that convert between Req and Resp and a service type of the node's library.
func serviceCodec[Req, Resp any](n *Node, typ string) (*msg.ServiceCodec[Req, Resp], error) {
	key := planKey{typ, reflect.TypeFor[msg.ServiceCodec[Req, Resp]]()}
	if c, ok := n.plans.Load(key); ok {
		return c.(*msg.ServiceCodec[Req, Resp]), nil
	}
	def, err := n.types.Service(typ)
	if err != nil {
		return nil, err
	}
	c, err := msg.CompileService[Req, Resp](def)
	if err == nil {
		n.plans.Store(key, c)
	}
	return c, err
}

// MessageType returns the definition of a message type from the node's library. It returns msg.ErrUnknown if the
// library lacks the type.
func (n *Node) MessageType(typ string) (*msg.Definition, error) { return n.types.Message(typ) }

// ServiceType returns the definition of a service type from the node's library. It returns msg.ErrUnknown if the
// library lacks the type.
func (n *Node) ServiceType(typ string) (*msg.ServiceDefinition, error) { return n.types.Service(typ) }
