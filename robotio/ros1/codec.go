package ros1

import (
	"reflect"

	"github.com/omnipitch/omnipitch/robotio/ros1/msgdef"
	"github.com/omnipitch/omnipitch/robotio/ros1/wire"
)

// planKey names a compiled plan: a definition and a Go type.
type planKey struct {
	name string
	typ  reflect.Type
}

// messageCodec returns the codec of a message type of the node's library for T.
func messageCodec[T any](n *Node, typ string) (*wire.Codec[T], error) {
	if c, ok := n.plans.Load(planKey{typ, reflect.TypeFor[T]()}); ok {
		return c.(*wire.Codec[T]), nil
	}
	def, err := n.types.Message(typ)
	if err != nil {
		return nil, err
	}
	return compileFor[T](n, def)
}

func compileFor[T any](n *Node, def *msgdef.Message) (*wire.Codec[T], error) {
	c, err := wire.Compile[T](def)
	if err == nil {
		n.plans.Store(planKey{def.Name, reflect.TypeFor[T]()}, c)
	}
	return c, err
}

// srvPlan holds what a service needs: its definition and both codecs.
type srvPlan[Req, Resp any] struct {
	def  *msgdef.Service
	req  *wire.Codec[Req]
	resp *wire.Codec[Resp]
}

// serviceCodec returns the plan of a service type of the node's library for Req and Resp.
func serviceCodec[Req, Resp any](n *Node, typ string) (*srvPlan[Req, Resp], error) {
	key := planKey{typ, reflect.TypeFor[srvPlan[Req, Resp]]()}
	if p, ok := n.plans.Load(key); ok {
		return p.(*srvPlan[Req, Resp]), nil
	}
	def, err := n.types.Service(typ)
	if err != nil {
		return nil, err
	}
	p := &srvPlan[Req, Resp]{def: def}
	if p.req, err = wire.Compile[Req](def.Request); err != nil {
		return nil, err
	}
	if p.resp, err = wire.Compile[Resp](def.Response); err != nil {
		return nil, err
	}
	n.plans.Store(key, p)
	return p, nil
}
