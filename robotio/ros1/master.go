package ros1

import "github.com/omnipitch/omnipitch/robotio/ros1/master"

// DefaultMasterURI is where peers look for a master when nothing else is said.
const DefaultMasterURI = "http://" + master.DefaultAddr + "/"

// Master is an embedded master; see package master.
type Master = master.Master

// MasterConfig configures an embedded master; see package master.
type MasterConfig = master.Config

// ListenMaster starts an embedded master; see master.Listen.
func ListenMaster(cfg MasterConfig) (*Master, error) { return master.Listen(cfg) }
