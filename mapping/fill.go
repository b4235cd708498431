// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"slices"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// DialectKey is the attribute that names the recognised dialect of an item, where that is asked for.
const DialectKey = "genainormalize.dialect"

// fills are the attributes that are filled in where an item has no such attribute.
var fills = [MaxFills]string{semconv.ProviderName, semconv.OperationName, semconv.ErrorType, DialectKey}

// MaxFills is how many attributes are filled in at most.
const MaxFills = 4

// IsFill tells whether the attribute is one of those that are filled in.
func IsFill(key string) bool { return slices.Contains(fills[:], key) }
