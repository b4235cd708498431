// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor // import "github.com/genainormalize/genainormalizeprocessor"

import "go.opentelemetry.io/collector/component"

// Config is the configuration of the processor.
type Config struct{}

func createDefaultConfig() component.Config { return &Config{} }
